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
	if _, ok := a.ready.Load(dimension); ok {
		return ""
	}
	if _, ok := a.fits.Load(dimension); ok {
		return ""
	}
	stats, err := a.Ledger.Stats(ctx)
	if err != nil || stats.Model == "" {
		return "" // the ledger is not what answers, or nothing was stored yet
	}
	model := a.Embedder.Model()
	if stats.Model == model && stats.Dimension == dimension {
		a.fits.Store(dimension, struct{}{})
		return ""
	}
	return fmt.Sprintf("the memories were embedded with %s (%d dimensions), not with %s (%d): \"mneme rebuild\" embeds them anew; found by keywords alone",
		stats.Model, stats.Dimension, model, dimension)
}
