package child

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 10 * time.Second
	// A server that lived this long before it died starts again without delay.
	steadyAfter = time.Minute
)

// Keeper starts a server again whenever it dies. Its methods are safe for
// concurrent use.
type Keeper struct {
	name   string
	log    *slog.Logger
	start  func(ctx context.Context) (*Process, error)
	cancel context.CancelFunc
	done   chan struct{} // closed when the keeping has ended

	mu      sync.Mutex
	current *Process // the newest; it may have died a moment ago
}

// Keep watches over first, a run of the server called name, and starts the
// next one with start. It goes on until Stop.
func Keep(name string, first *Process, start func(ctx context.Context) (*Process, error), log *slog.Logger) *Keeper {
	ctx, cancel := context.WithCancel(context.Background()) // Stop ends it: it outlives every caller's context
	k := &Keeper{name: name, log: log, start: start, cancel: cancel, done: make(chan struct{}), current: first}
	go k.keep(ctx)
	return k
}

// Current is the newest run of the server.
func (k *Keeper) Current() *Process {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

// Done is closed when the server is no longer kept, which only Stop brings about.
func (k *Keeper) Done() <-chan struct{} { return k.done }

// Stop ends the keeping, and then the server with the steps.
func (k *Keeper) Stop(steps ...Step) error {
	k.cancel()
	<-k.done
	return k.Current().Stop(steps...)
}

func (k *Keeper) keep(ctx context.Context) {
	defer close(k.done)
	backoff, born := firstBackoff, time.Now()
	for {
		current := k.Current()
		select {
		case <-ctx.Done():
			return
		case <-current.Exited():
		}
		if time.Since(born) > steadyAfter {
			backoff = firstBackoff
		}
		k.log.Warn(k.name+" ended, starting it again", "err", current.Err(), "in", backoff)
		if !Wait(ctx, backoff) {
			return
		}
		backoff, born = min(2*backoff, maxBackoff), time.Now()
		k.replace(ctx)
	}
}

// replace puts the next run in the place of the dead one. If that fails, the dead one
// stays and the keeper comes back for it.
func (k *Keeper) replace(ctx context.Context) {
	next, err := k.start(ctx)
	if err != nil {
		k.log.Error("start "+k.name+" again", "err", err)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current = next
	k.log.Info(k.name+" is back", "pid", next.PID())
}

// Wait waits for d, and reports false if ctx ended first.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
