package live

import (
	"context"
	"log/slog"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Source is what a feed needs of the database.
type Source interface {
	// AuditSettled returns an id up to which no row is still on its way, at least the greatest
	// that can be seen; known at once, if that still is the greatest.
	AuditSettled(ctx context.Context, known int64) (int64, error)
	AuditRows(ctx context.Context, q memory.AuditQuery) ([]memory.AuditRow, error)
}

// The times of a feed.
const (
	lookEvery = 400 * time.Millisecond // one look serves all clients
	lookFor   = 5 * time.Second        // at most, while a long change is being written
)

// Feed follows the audit. Make one with [NewFeed]; it needs no closing, and looks only when asked.
type Feed struct {
	source Source
	log    *slog.Logger
	every  time.Duration
	now    func() time.Time
	slots  chan struct{} // one for each client that is being told

	turn   chan struct{} // who holds its one token may look, and touch what is below
	end    int64
	looked time.Time
}

// NewFeed returns a feed of what a source holds.
func NewFeed(source Source, log *slog.Logger) *Feed {
	f := &Feed{
		source: source, log: log, every: lookEvery, now: time.Now,
		slots: make(chan struct{}, maxClients), turn: make(chan struct{}, 1),
	}
	f.turn <- struct{}{}
	return f
}

// Position is where the audit ends now: events with greater ids are still to come. Who reads
// memories after asking for the position, and then follows the events after it, misses nothing.
func (f *Feed) Position(ctx context.Context) (int64, error) {
	select {
	case <-f.turn:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { f.turn <- struct{}{} }()
	if !f.looked.IsZero() && f.now().Sub(f.looked) < f.every {
		return f.end, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	end, err := f.source.AuditSettled(ctx, f.end)
	if err != nil {
		return 0, err
	}
	f.end, f.looked = end, f.now()
	return end, nil
}

// Events returns events in the order of their ids, or newest first.
func (f *Feed) Events(ctx context.Context, q memory.AuditQuery) ([]Event, error) {
	rows, err := f.source.AuditRows(ctx, q)
	if err != nil {
		return nil, err
	}
	return eventsOf(rows), nil
}
