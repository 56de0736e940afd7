package cli

import (
	"context"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// waiter knows which accepted changes wait, and for what.
type waiter interface {
	Waiting(ctx context.Context) ([]memory.Waiting, error)
}

// lookEvery is how often a long command looks what it waits for.
const lookEvery = 5 * time.Second

// patiently does what answers when everything is done, and meanwhile says on
// stderr what is waited for, once for each reason.
func (a *app) patiently(ctx context.Context, c waiter, do func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		a.watch(ctx, c)
	}()
	err := do()
	cancel()
	<-watched
	return err
}

func (a *app) watch(ctx context.Context, c waiter) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := map[memory.Wait]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		all, err := c.Waiting(ctx)
		if err != nil {
			continue // the command itself tells what is wrong with Temporal
		}
		for _, w := range all {
			if !told[w.Wait] {
				told[w.Wait] = true
				a.note("%s", printable(waitingLine(w)))
			}
		}
	}
}

// waitingLine says what waits, and what to do.
func waitingLine(w memory.Waiting) string {
	if w.Hint == "" {
		return w.String()
	}
	return w.String() + "; " + w.Hint
}
