package mcpserver

import (
	"context"
	"os"
	"time"
)

// parentEvery is how often the parent is looked at. The end of the input
// usually tells sooner; this is for a pipe that someone else still holds.
const parentEvery = 2 * time.Second

// WithParent returns a context that also ends when the process that started
// this one is gone, so that no server outlives its session.
func WithParent(ctx context.Context) context.Context {
	return withParent(ctx, os.Getppid, parentEvery)
}

func withParent(ctx context.Context, ppid func() int, every time.Duration) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	parent := ppid()
	go func() {
		defer cancel()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for ppid() == parent {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx
}
