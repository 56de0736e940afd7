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

// silence remembers when the ledger last failed to answer in time, and the forgotten memories of its
// last answer: those stay hidden while the ledger is silent, because the index may still have them.
type silence struct {
	mu   sync.Mutex
	at   time.Time
	gone map[string]bool
}

// mostGone bounds what is remembered.
const mostGone = 10_000

// learn remembers what the ledger says of ids: these are gone, and the others are not.
func (s *silence) learn(ids, gone []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.gone, id)
	}
	if s.gone == nil || len(s.gone)+len(gone) > mostGone {
		s.gone = map[string]bool{}
	}
	for _, id := range gone {
		s.gone[id] = true
	}
}

// known returns those of ids that were gone when the ledger last said.
func (s *silence) known(ids []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []string
	for _, id := range ids {
		if s.gone[id] {
			gone = append(gone, id)
		}
	}
	return gone
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

// said is what the ledger says of candidates.
type said struct {
	gone  []string      // forgotten, merged or pruned, and the index still knows them, as after an outage
	links []memory.Link // that begin or end at one of them
}

// consult asks the ledger about candidates, and returns a function that waits for the answer: they
// can be ranked meanwhile. An answer must not wait for the ledger for long; without it only that is gone
// which was when the ledger last said, and there are no links.
func (a *Activities) consult(ctx context.Context, candidates []memory.Candidate) func() said {
	if len(candidates) == 0 {
		return func() said { return said{} }
	}
	ids := make([]string, len(candidates))
	for i, c := range candidates {
		ids[i] = c.ID
	}
	if a.resting() {
		return func() said { return said{gone: a.silent.known(ids)} }
	}
	ctx, cancel := context.WithTimeout(ctx, waitGone)
	answered := make(chan said, 1)
	go func() {
		defer cancel()
		gone, links, err := a.Ledger.Beside(ctx, ids)
		a.silent.note(ctx, a.Now(), err)
		if err != nil {
			gone, links = a.silent.known(ids), nil
		} else {
			a.silent.learn(ids, gone)
		}
		answered <- said{gone, links}
	}()
	return func() said { return <-answered }
}

// there returns the candidates that are not gone.
func (s said) there(candidates []memory.Candidate) []memory.Candidate {
	return slices.DeleteFunc(candidates, func(c memory.Candidate) bool { return slices.Contains(s.gone, c.ID) })
}

// resting reports whether the ledger did not answer a moment ago.
func (a *Activities) resting() bool {
	a.silent.mu.Lock()
	defer a.silent.mu.Unlock()
	return a.Now().Sub(a.silent.at).Abs() < restGone
}
