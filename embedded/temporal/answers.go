package temporal

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// answers makes an answer of the server wait until the disk has what it tells of.
//
// SQLite appends a commit to its log without waiting for the disk (synchronous=NORMAL): a
// short workflow is nine commits, and each would wait. What a power cut must not take back
// is what somebody was told, so the log is synced once before such an answer. Commits of
// calls that run side by side share a sync.
//
// A disk that failed once to take the log cannot be trusted with it any more: the system may
// have dropped what it could not write and still call the next sync a success. From then on
// every answer is an error; the next start reads the log back, with its checksums.
type answers struct {
	log    *os.File             // SQLite's write-ahead log; SQLite holds no lock on it that closing could drop
	sync   func(*os.File) error // (*os.File).Sync but in tests
	logger *slog.Logger

	syncing sync.WaitGroup // the goroutine that syncs, while somebody waits

	mu     sync.Mutex
	busy   bool   // that goroutine runs
	next   *round // the one that has not begun; nil if nobody waits for it
	failed error  // set once
}

// round is one sync and the commits that wait for it.
type round struct {
	done chan struct{}
	err  error // to be read when done is closed
}

// intercept stands before every answer of the frontend.
func (a *answers) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	resp, err := handle(ctx, req)
	// An error may tell of what is stored, too: "already started".
	if !tells(info.FullMethod) {
		return resp, err
	}
	if err := a.wait(ctx); err != nil {
		return nil, err
	}
	return resp, err
}

// tells reports whether an answer of the method promises something to somebody. Those to a
// worker do not: after a power cut it gets the same task again.
func tells(fullMethod string) bool {
	method := fullMethod[strings.LastIndexByte(fullMethod, '/')+1:]
	for _, prefix := range []string{"PollWorkflowTask", "PollActivityTask", "PollNexusTask", "Respond", "Record", "GetSystemInfo"} {
		if strings.HasPrefix(method, prefix) {
			return false
		}
	}
	return true
}

// wait returns when everything that was committed before the call is on the disk.
func (a *answers) wait(ctx context.Context) error {
	a.mu.Lock()
	if a.failed != nil {
		a.mu.Unlock()
		return unavailable(a.failed)
	}
	r := a.next
	if r == nil {
		r = &round{done: make(chan struct{})}
		a.next = r
	}
	if !a.busy {
		a.busy = true
		a.syncing.Go(a.run)
	}
	a.mu.Unlock()
	select {
	case <-r.done:
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	if r.err != nil {
		return unavailable(r.err)
	}
	return nil
}

// run syncs as long as somebody waits. Who comes while it syncs waits for the next round.
func (a *answers) run() {
	for {
		a.mu.Lock()
		r := a.next
		a.next = nil
		if r == nil {
			a.busy = false
			a.mu.Unlock()
			return
		}
		r.err = a.failed
		a.mu.Unlock()
		if r.err == nil {
			r.err = a.sync(a.log)
			a.note(r.err)
		}
		close(r.done)
	}
}

// note ends all answers when a sync failed.
func (a *answers) note(err error) {
	if err == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = err
	a.logger.Error("the disk did not take temporal's log; nothing is accepted until a restart", "error", err)
}

func unavailable(err error) error {
	return status.Error(codes.Unavailable, fmt.Sprintf("the disk did not take what was accepted (%v): "+
		"look at the disk, then restart", err))
}

// close waits for a running sync; nobody is answered any more.
func (a *answers) close() error {
	a.mu.Lock()
	if a.failed == nil {
		a.failed = os.ErrClosed
	}
	a.mu.Unlock()
	a.syncing.Wait()
	return a.log.Close()
}
