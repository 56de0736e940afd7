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
)

// lag remembers whether the index is far behind the ledger, as it is while
// it is written anew. The zero value has never looked.
type lag struct {
	mu   sync.Mutex
	at   time.Time
	said string
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
	missing, err := a.Ledger.Unfindable(ctx, manyBehind+1)
	a.lag.at, a.lag.said = now, ""
	if err == nil && len(missing) > manyBehind {
		a.lag.said = fmt.Sprintf("the index is being written: more than %d memories are not in it yet, and cannot be found", manyBehind)
	}
	return a.lag.said
}
