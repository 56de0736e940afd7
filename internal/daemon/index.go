package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// prepareIndex makes the collections, so that a first recall finds them empty and not
// missing, and returns those that must be written anew.
func (d *daemon) prepareIndex(ctx context.Context) (stale []string, err error) {
	if err := d.ensureCollections(ctx); err != nil {
		return nil, err
	}
	return d.staleCollections(ctx)
}

func (d *daemon) ensureCollections(ctx context.Context) error {
	s := d.services
	dimension := s.postgres.stats.Dimension
	if dimension == 0 && s.ollama.lacks == nil {
		var err error
		if dimension, err = s.ollama.embedder.Dimension(ctx); err != nil {
			return err
		}
	}
	if dimension == 0 {
		return nil // nobody knows yet; the first store will
	}
	return s.qdrant.index.EnsureCollections(ctx, dimension)
}

// startRefill writes collections of the index anew from the ledger, when it is another
// index than last time or has lost its data. It does so beside everything else, because it
// can take minutes.
func (d *daemon) startRefill(ctx context.Context, client *workflows.Client, stale []string) error {
	if len(stale) == 0 {
		return d.noteIndex(d.indexName())
	}
	// Whatever becomes of this: from now on the one that was used before is out of date.
	if err := d.noteIndex("none yet"); err != nil {
		return err
	}
	d.opts.Logger.WarnContext(ctx, "the index does not hold what the ledger does, writing it anew", "collections", stale)
	d.stops.background(ctx, func(ctx context.Context) {
		equal, err := d.refill(ctx, client, stale)
		if ctx.Err() == nil { // else the workflow goes on when a worker is back
			d.opts.Logger.WarnContext(ctx, "wrote the index anew", "equal", equal, "err", err)
		}
	})
	return nil
}

// refill writes collections anew, and notes that this is the index to use when that is done.
func (d *daemon) refill(ctx context.Context, client *workflows.Client, collections []string) (equal bool, err error) {
	// A rebuild that an earlier daemon began goes on by itself, and a call joins it. What it
	// had done was done to another index, so it must end first. If there is none, this is a
	// rebuild of what is smallest.
	live := d.services.postgres.stats.Live
	smallest := slices.MinFunc(memory.Collections(), func(a, b string) int { return live[a] - live[b] })
	if _, err := client.Rebuild(ctx, memory.RebuildInput{Collections: []string{smallest}, User: refiller}, nil); err != nil {
		return false, err
	}
	// A recall that is counted between the writing and the comparing makes the two differ.
	for range refillTries {
		report, err := client.Rebuild(ctx, memory.RebuildInput{Collections: collections, User: refiller}, nil)
		if err != nil {
			return false, err
		}
		if report.Equal {
			return true, d.noteIndex(d.indexName())
		}
		collections = unequal(report)
	}
	return false, nil
}

// refillTries is how often what differs is written anew. What differs after that is left to
// the next start.
const refillTries = 5

// unequal are the collections in which a rebuild found a difference.
func unequal(r memory.RebuildReport) []string {
	var out []string
	for _, c := range r.Collections {
		if !c.Equal {
			out = append(out, c.Collection)
		}
	}
	return out
}

// refiller is the user who rebuilds, for the audit.
const refiller = "daemon"

// staleCollections are those to write anew.
func (d *daemon) staleCollections(ctx context.Context) ([]string, error) {
	last, err := os.ReadFile(d.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read which index was used: %w", err)
	}
	var filled []string
	for _, collection := range memory.Collections() {
		if d.services.postgres.stats.Live[collection] > 0 {
			filled = append(filled, collection)
		}
	}
	if len(filled) > 0 && err == nil && string(last) != d.indexName() {
		// The one that was used before may hold what was forgotten since.
		return memory.Collections(), nil
	}
	return d.lostOf(ctx, filled)
}

// indexName tells the Qdrants apart that a home may use.
func (d *daemon) indexName() string {
	s := d.services.qdrant
	if s.Mode == config.Given {
		return s.Mode + " " + s.Address
	}
	return s.Mode
}

func (d *daemon) indexPath() string { return filepath.Join(d.opts.Config.Home, "index") }

// noteIndex remembers which Qdrant holds what the ledger does.
func (d *daemon) noteIndex(name string) error {
	if err := os.WriteFile(d.indexPath(), []byte(name), 0o600); err != nil {
		return fmt.Errorf("note which index is used: %w", err)
	}
	return nil
}

// sample is how many memories of a collection are looked up to see whether the index has
// lost it.
const sample = 20

// lostOf returns those of the collections that hold none of the first memories that the
// ledger has for them.
func (d *daemon) lostOf(ctx context.Context, collections []string) ([]string, error) {
	var lost []string
	for _, collection := range collections {
		records, err := d.services.postgres.ledger.Records(ctx, memory.Page{Collection: collection, Limit: sample})
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(records))
		for i, r := range records {
			ids[i] = r.ID
		}
		missing, err := d.services.qdrant.index.Missing(ctx, collection, ids)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 && len(missing) == len(ids) {
			lost = append(lost, collection)
		}
	}
	return lost, nil
}
