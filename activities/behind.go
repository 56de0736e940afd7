package activities

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// manyBehind is how many memories the index must lack before an answer says
	// so: some are always on their way there.
	manyBehind = 100
	// The ledger is asked that seldom and that briefly, because an answer must
	// not wait for it.
	askBehind  = time.Second
	waitBehind = 200 * time.Millisecond
	// An answer without a hit may take longer, before it says that there is nothing.
	waitEmpty = time.Second
)

// lag remembers whether the index is far behind the ledger, as it is while
// it is written anew. The zero value has never looked.
type lag struct {
	mu   sync.Mutex
	at   time.Time
	said string
}

// forget has the ledger asked at the next answer.
func (l *lag) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Time{}
}

// behind returns what an answer must say when memories are missing in the
// index, "" when all but a few are there, or when nobody knows.
func (a *Activities) behind(ctx context.Context) string {
	a.lag.mu.Lock()
	defer a.lag.mu.Unlock()
	now := a.Now()
	if since := now.Sub(a.lag.at); since >= 0 && since < askBehind {
		return a.lag.said
	}
	ctx, cancel := context.WithTimeout(ctx, waitBehind)
	defer cancel()
	unwritten, lost, err := a.Ledger.Unfindable(ctx, manyBehind+1)
	a.lag.at, a.lag.said = now, ""
	switch {
	case err != nil:
	case lost > 0:
		a.lag.said = again(lost)
	case unwritten > manyBehind:
		a.lag.said = fmt.Sprintf("the index is being written: more than %d memories are not in it yet, and cannot be found", manyBehind)
	}
	return a.lag.said
}

// again says that memories which the index has lost come back.
func again(lost int) string {
	if lost == 1 {
		return "1 memory is being written to the index again, and cannot be found until then"
	}
	return fmt.Sprintf("%d memories are being written to the index again, and cannot be found until then", lost)
}

// emptyHanded returns what an answer without any candidate must say: where nothing is found,
// all may have been lost a moment ago. It asks for rough counts, and only when they have
// fallen since they were looked at last, or a collection is not there, the ledger.
func (a *Activities) emptyHanded(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, waitEmpty)
	defer cancel()
	counts, err := a.index(ctx).Counts(ctx, false)
	if err != nil || !a.watch.fell(counts) {
		return ""
	}
	a.watch.alarm()
	state, err := a.compareCounts(ctx)
	if lost := state.Sum().Lost; err == nil && lost > 0 {
		return again(lost)
	}
	return ""
}
