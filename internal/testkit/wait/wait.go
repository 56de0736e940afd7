// Package wait lets a test wait for what another process or goroutine does,
// without sleeping for a time that is too long here and too short there.
package wait

import (
	"testing"
	"time"
)

const (
	most  = 4 * time.Minute       // a loaded machine may need it; a failing test seldom does
	every = 20 * time.Millisecond // what is asked may be what works, and should get to it
)

// Until asks until it is so. After some minutes the test fails and says what was
// waited for.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	limit := time.NewTimer(most)
	defer limit.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("not so after %s: %s", most, what)
		}
	}
}
