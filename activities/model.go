package activities

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// otherModel says why a query's vector cannot be compared with those of the
// ledger, "" if it can: a vector of another model of the same length would
// find something, and it would be nonsense. What was found to fit is not
// asked again by this process.
func (a *Activities) otherModel(ctx context.Context, v memory.Vector) string {
	dimension := len(v)
	if g := a.inForce(ctx).Active; g.Dimension == dimension && g.Model == a.model(ctx) {
		return ""
	}
	at := a.place(ctx, dimension)
	if _, ok := a.ready.Load(at); ok {
		return ""
	}
	if _, ok := a.fits.Load(at); ok {
		return ""
	}
	stats, err := a.Ledger.Stats(ctx)
	if err != nil || stats.Model == "" {
		return "" // the ledger is not what answers, or nothing was stored yet
	}
	model := a.model(ctx)
	if stats.Model == model && stats.Dimension == dimension {
		a.fits.Store(at, struct{}{})
		return ""
	}
	return fmt.Sprintf("the memories were embedded with %s (%d dimensions), not with %s (%d): \"mneme rebuild\" embeds them anew; found by keywords alone",
		stats.Model, stats.Dimension, model, dimension)
}
