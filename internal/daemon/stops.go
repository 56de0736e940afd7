package daemon

import (
	"context"
	"slices"
	"sync"
)

// stops undoes what was started. It may be used by several goroutines; the zero value is
// ready to use.
type stops struct {
	mu    sync.Mutex
	funcs []func() error // in the order of starting
}

// push notes how to undo what was just started.
func (s *stops) push(f func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.funcs = append(s.funcs, f)
}

// run undoes everything, last first, and returns the first error.
func (s *stops) run() error {
	s.mu.Lock()
	funcs := s.funcs
	s.funcs = nil
	s.mu.Unlock()
	var first error
	for _, f := range slices.Backward(funcs) {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// background starts work that goes on beside everything else. To undo it is to end its
// context and to wait until it returns; its connections and files must have been pushed
// before, so that they are closed afterwards.
func (s *stops) background(ctx context.Context, work func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	s.push(func() error {
		cancel()
		<-done
		return nil
	})
}
