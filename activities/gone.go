package activities

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

const (
	// waitGone bounds the question what is gone, because an answer must not wait
	// for the ledger. A ledger that was silent for so long is left alone for restGone.
	// One that refuses answers at once, and is asked again by the next recall.
	waitGone = 500 * time.Millisecond
	restGone = time.Second
)

// silence remembers when the ledger did not say in time what is gone.
type silence struct {
	mu sync.Mutex
	at time.Time
}

// note remembers a question that ended with err because ctx did.
func (s *silence) note(ctx context.Context, now time.Time, err error) {
	if err == nil || ctx.Err() == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = now
}

// over has the ledger asked again at once, because it has just answered.
func (s *silence) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = time.Time{}
}

// there takes away what the ledger has forgotten, merged or pruned, and the index
// still knows, as after an outage: nothing forgotten is shown again. Without
// the ledger it answers what the index has.
func (a *Activities) there(ctx context.Context, candidates []memory.Candidate) []memory.Candidate {
	if len(candidates) == 0 || a.resting() {
		return candidates
	}
	ids := make([]string, len(candidates))
	for i, c := range candidates {
		ids[i] = c.ID
	}
	ctx, cancel := context.WithTimeout(ctx, waitGone)
	defer cancel()
	gone, err := a.Ledger.Gone(ctx, ids)
	if err != nil {
		a.silent.note(ctx, a.Now(), err)
		return candidates
	}
	return slices.DeleteFunc(candidates, func(c memory.Candidate) bool { return slices.Contains(gone, c.ID) })
}

// resting reports whether the ledger did not answer a moment ago.
func (a *Activities) resting() bool {
	a.silent.mu.Lock()
	defer a.silent.mu.Unlock()
	return a.Now().Sub(a.silent.at).Abs() < restGone
}
