package activities

import (
	"context"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// indexWatch is what is known of the index since it was looked at last.
type indexWatch struct {
	mu     sync.Mutex
	counts map[string]int // of points, roughly; nil before the first look
	away   bool           // it did not answer since it was compared with the ledger
	alarms chan struct{}  // nil while nobody watches
}

// alarm has the index looked at now.
func (w *indexWatch) alarm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = true
	select {
	case w.alarms <- struct{}{}: // never of a nil channel
	default:
	}
}

// fell reports whether the index holds fewer points than at the last look, or fewer
// collections than it should. Points written since the last look were never counted.
func (w *indexWatch) fell(counts map[string]int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for collection, before := range w.counts {
		if counts[collection] < before {
			return true
		}
	}
	return len(counts) < len(memory.Collections())
}

// WatchIndex looks every so often whether the index holds what it held at the last look,
// until ctx ends. At the start, when it was away in between, and when it holds fewer points
// than before or lacks a collection, it is compared with the ledger; refill is called when it has lost something,
// and again at the next look if that fails. Errors are told to failed, each once
// as long as it stays the same.
func WatchIndex(ctx context.Context, a *Activities, every time.Duration, refill func(context.Context) error, failed func(error)) {
	alarms := make(chan struct{}, 1)
	a.watch.mu.Lock()
	a.watch.away, a.watch.alarms = true, alarms
	a.watch.mu.Unlock()
	tick := time.NewTicker(every)
	defer tick.Stop()
	told := ""
	for {
		err := a.look(ctx, refill)
		if err != nil && ctx.Err() == nil && err.Error() != told {
			failed(err)
		}
		told = ""
		if err != nil {
			told = err.Error()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-alarms:
		}
	}
}

// look is one look of [WatchIndex].
func (a *Activities) look(ctx context.Context, refill func(context.Context) error) error {
	counts, err := a.index(ctx).Counts(ctx, false)
	suspect := err != nil || a.watch.fell(counts)
	if suspect {
		a.ready.Clear()
	}
	if !a.watch.due(suspect, err == nil) {
		if err == nil {
			a.watch.saw(counts)
		}
		if memory.CodeOf(err) == memory.Unavailable {
			return nil // it is waited for
		}
		return err
	}
	state, err := a.compareIndex(ctx)
	if err != nil {
		a.watch.doubt()
		return err
	}
	a.watch.saw(counts) // what is missing is noted in the ledger now
	if state.Equal() {
		if len(counts) < len(memory.Collections()) { // a collection that held nothing is gone, too
			return a.FitCollections(ctx, FitInput{})
		}
		return nil
	}
	if err = refill(ctx); err != nil {
		a.watch.doubt()
	}
	return err
}

// due returns whether the index must be compared now.
func (w *indexWatch) due(suspect, answers bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = w.away || suspect
	if !answers {
		return false
	}
	due := w.away
	w.away = false // an alarm from now on is another one
	return due
}

// saw keeps the counts of a look for the next one.
func (w *indexWatch) saw(counts map[string]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts = counts
}

// doubt has the index compared at the next look.
func (w *indexWatch) doubt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = true
}
