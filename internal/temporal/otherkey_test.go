package temporal_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	embedded "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/temporal"
)

// TestDoorWithAnotherKey sends work that its worker cannot read. It waits, the work of others
// goes on, and when the worker is given the key it is done: nothing is lost.
func TestDoorWithAnotherKey(t *testing.T) {
	t.Parallel()
	srv, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	check(t, err)
	t.Cleanup(func() { check(t, srv.Stop()) })
	ours := config.Temporal{Namespace: "default", Address: srv.Addr(), KeyFile: filepath.Join(t.TempDir(), "ours.keys")}
	theirs := ours
	theirs.KeyFile = filepath.Join(t.TempDir(), "theirs.keys")
	dial := func(cfg config.Temporal) client.Client {
		c, err := temporal.Dial(t.Context(), cfg, nil)
		check(t, err)
		t.Cleanup(c.Close)
		return c
	}
	us, them := dial(ours), dial(theirs)
	w := worker.New(us, "q", worker.Options{})
	echo := func(_ workflow.Context, text string) (string, error) { return text, nil }
	w.RegisterWorkflowWithOptions(echo, workflow.RegisterOptions{Name: "echo"})
	check(t, w.Start())
	t.Cleanup(w.Stop)

	start := func(c client.Client, id string) client.WorkflowRun {
		run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
			ID: id, TaskQueue: "q", WorkflowTaskTimeout: time.Second,
		}, "echo", secret)
		check(t, err)
		return run
	}
	answer := func(run client.WorkflowRun, of string) {
		t.Helper()
		var got string
		if err := run.Get(t.Context(), &got); err != nil || got != secret {
			t.Errorf("%s: %q, %v", of, got, err)
		}
	}
	waiting := start(them, "theirs")
	for _, id := range []string{"first", "second", "third"} {
		answer(start(us, id), id+", while a task waits that cannot be read")
	}
	d, err := us.DescribeWorkflowExecution(t.Context(), "theirs", "")
	check(t, err)
	if status := d.GetWorkflowExecutionInfo().GetStatus().String(); status != "Running" {
		t.Errorf("what cannot be read is %s", status)
	}
	// The keys are shared: ours first, then theirs; and the door gets ours for the answer.
	mine, err := os.ReadFile(ours.KeyFile)
	check(t, err)
	other, err := os.ReadFile(theirs.KeyFile)
	check(t, err)
	check(t, os.WriteFile(ours.KeyFile, append(mine, firstLine(other)...), 0o600))
	check(t, os.WriteFile(theirs.KeyFile, append(other, firstLine(mine)...), 0o600))
	answer(waiting, "after the keys were shared")
}

// firstLine is the key that encrypts.
func firstLine(keys []byte) []byte {
	for i, c := range keys {
		if c == '\n' {
			return keys[:i+1]
		}
	}
	return keys
}
