package cli

import (
	"context"
	"time"
)

// pollEvery is how often the state of a daemon is looked at while waiting.
const pollEvery = 50 * time.Millisecond

// until asks done again and again until it says yes or fails, or ctx ends.
func until(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
