package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// prepareIndex makes the collections, so that a first recall finds them empty and not
// missing.
func (d *daemon) prepareIndex(ctx context.Context) error {
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
	index := s.qdrant.index
	if g := s.postgres.stats.Generations; g != nil {
		index = index.Of(g.Active.Name)
	}
	return index.EnsureCollections(ctx, dimension)
}

// startRefill has another index than last time compared with the ledger as a whole: another
// index may still hold forgotten memories from its earlier use. It does so beside
// everything else, because it can take minutes. What the same index has lost is noticed by
// the worker, which watches it.
func (d *daemon) startRefill(ctx context.Context, client *workflows.Client) error {
	last, err := os.ReadFile(d.indexPath())
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(last) == d.indexName() {
		return d.noteIndex(d.indexName())
	}
	if err != nil {
		return fmt.Errorf("read which index was used: %w", err)
	}
	// Whatever becomes of this: from now on the one that was used before is out of date.
	if err := d.noteIndex("none yet"); err != nil {
		return err
	}
	d.opts.Logger.WarnContext(ctx, "another index than last time, comparing it with the ledger", "index", d.indexName(), "last", string(last))
	d.stops.background(ctx, func(ctx context.Context) {
		equal, err := d.refill(ctx, client)
		if ctx.Err() == nil { // else the workflow goes on when a worker is back
			d.opts.Logger.WarnContext(ctx, "compared the index with the ledger", "equal", equal, "err", err)
		}
	})
	return nil
}

// refill goes through the whole index, and notes that it is the one to use when that is done.
func (d *daemon) refill(ctx context.Context, client *workflows.Client) (equal bool, err error) {
	// A rebuild that an earlier daemon began goes on by itself, and a call joins it. It may
	// have worked on another index, so it must end first. If there is none, this is a short
	// one.
	if _, err := client.Rebuild(ctx, memory.RebuildInput{Collections: []string{memory.Episodes}, User: refiller}, nil); err != nil {
		return false, err
	}
	report, err := client.Rebuild(ctx, memory.RebuildInput{User: refiller}, nil)
	if err != nil || !report.Equal {
		return false, err
	}
	return true, d.noteIndex(d.indexName())
}

// refiller is the user who rebuilds, for the audit.
const refiller = "daemon"

// indexName tells the Qdrants apart that a home may use.
func (d *daemon) indexName() string {
	s := d.services.qdrant
	if s.Mode == homestate.Given {
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
