package temporal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// promise is what a client was told: a run that waits, or the answer to an update.
type promise struct{ workflow, run, update string }

// promises collects what clients were told until stop.
type promises struct {
	mu   sync.Mutex
	made []promise
}

func (p *promises) all() []promise {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.made)
}

func (p *promises) add(made promise) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made = append(p.made, made)
}

// TestAnswersSurvivePowerCuts has clients store and start without a pause, takes what the disk
// has at some moments, and looks in each for all that the clients had been told by then.
func TestAnswersSurvivePowerCuts(t *testing.T) {
	t.Parallel()
	disk := newForgetfulDisk()
	opts := testOptions(t)
	opts.Headless, opts.vfs, opts.syncLog = true, disk.name, disk.syncLog
	srv := begin(t, opts)
	c := dial(t, srv)
	startWorker(t, c)
	var told promises
	stop := keepAsking(t, c, &told)

	type powerCut struct {
		dir  string
		told []promise
	}
	var cuts []powerCut
	for i := range uint64(4) {
		before := len(told.all())
		wait.Until(t, "more is promised", func() bool { return len(told.all()) >= before+10 })
		cut := powerCut{dir: t.TempDir(), told: told.all()}
		var chance *rand.Rand
		if i%2 == 1 {
			chance = rand.New(rand.NewPCG(7, i))
		}
		disk.cut(t, cut.dir, chance)
		cuts = append(cuts, cut)
	}
	stop()
	for _, cut := range cuts {
		holdPromises(t, cut.dir, cut.told)
	}
}

// keepAsking has several clients make promises happen until the returned function is called.
func keepAsking(t *testing.T, c client.Client, told *promises) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for n := range 3 {
		clients.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				made, err := makePromise(ctx, c, fmt.Sprintf("%d/%d", n, i), i%3 == 0)
				if err == nil {
					told.add(made)
				} else if ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	stop = func() { cancel(); clients.Wait() }
	t.Cleanup(stop)
	return stop
}

// makePromise starts a workflow that waits, or has one answer.
func makePromise(ctx context.Context, c client.Client, id string, only bool) (promise, error) {
	if only {
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: taskQueue}, "answer")
		if err != nil {
			return promise{}, err
		}
		return promise{workflow: id, run: run.GetRunID()}, nil
	}
	handle, err := askFor(ctx, c, id, "text")
	if err != nil {
		return promise{}, err
	}
	return promise{workflow: id, run: handle.RunID(), update: handle.UpdateID()}, nil
}

// holdPromises starts a server on what a power cut left.
func holdPromises(t *testing.T, dir string, told []promise) {
	t.Helper()
	opts := testOptions(t)
	opts.Headless, opts.Dir = true, dir
	c := dial(t, begin(t, opts))
	startWorker(t, c)
	for _, p := range told {
		var got string
		var err error
		if p.update != "" {
			err = c.GetWorkflowUpdateHandle(client.GetWorkflowUpdateHandleOptions{
				WorkflowID: p.workflow, RunID: p.run, UpdateID: p.update,
			}).Get(t.Context(), &got)
		} else { // it waits for its first update
			var handle client.WorkflowUpdateHandle
			handle, err = c.UpdateWorkflow(t.Context(), client.UpdateWorkflowOptions{
				WorkflowID: p.workflow, RunID: p.run, UpdateName: "answer", Args: []any{"text"},
				WaitForStage: client.WorkflowUpdateStageCompleted,
			})
			if err == nil {
				err = handle.Get(t.Context(), &got)
			}
		}
		if err != nil || got != "texttext" {
			t.Errorf("%+v is lost: %q, %v", p, got, err)
		}
	}
}

// TestWithoutSyncAPowerCutTakesAnswers is the test of the test above: on the same disk, a
// server that does not wait loses what it said.
func TestWithoutSyncAPowerCutTakesAnswers(t *testing.T) {
	t.Parallel()
	disk := newForgetfulDisk()
	opts := testOptions(t)
	opts.Headless, opts.vfs = true, disk.name
	opts.syncLog = func(*os.File) error { return nil }
	c := dial(t, begin(t, opts))
	startWorker(t, c)
	made, err := makePromise(t.Context(), c, "store/1", false)
	if err != nil {
		t.Fatal(err)
	}
	left := testOptions(t)
	left.Headless = true
	disk.cut(t, left.Dir, nil)
	c = dial(t, begin(t, left))
	_, err = c.DescribeWorkflowExecution(t.Context(), made.workflow, made.run)
	if _, lost := err.(*serviceerror.NotFound); !lost { //nolint:errorlint // the client returns it bare
		t.Fatalf("the disk forgot nothing: %v", err)
	}
}

// TestDiskThatFails has a disk refuse one sync. Nobody is told "accepted" from then on, because
// the system may have dropped what the disk refused; the next start goes on with the content of
// the disk.
func TestDiskThatFails(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	opts.Headless = true
	var mu sync.Mutex
	fail := false
	opts.syncLog = func(f *os.File) error {
		mu.Lock()
		defer mu.Unlock()
		if fail {
			fail = false
			return os.ErrInvalid
		}
		return f.Sync()
	}
	srv := begin(t, opts)
	c := dial(t, srv)
	startWorker(t, c)
	if _, err := ask(t.Context(), c, "before", "ab"); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	fail = true
	mu.Unlock()
	for _, id := range []string{"refused", "after the refusal"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if got, err := ask(ctx, c, id, "ab"); err == nil {
			t.Errorf("%s: answered %q", id, got)
		}
		cancel()
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	c = dial(t, begin(t, opts))
	startWorker(t, c)
	for _, id := range []string{"before", "new"} {
		if got, err := ask(t.Context(), c, id, "ab"); err != nil || got != "abab" {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
}
