package temporal

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// What testdata/oldfile made: a server's file with four workflows in it.
const (
	oldFile    = "testdata/temporal-1.30.4.db.gz"
	oldCopy    = "temporal-1.30.4.db"
	oldKept    = 100 * 365 * 24 * time.Hour // the retention in it, so that nothing is too old
	oldWaiting = 3                          // workflows that have not ended
)

// placeOldFile makes opts.Dir the home of an older server, and returns the file's content.
func placeOldFile(t *testing.T, opts Options) []byte {
	t.Helper()
	f, err := os.Open(oldFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(opts.Dir, fileName), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return content
}

func oldOptions(t *testing.T) Options {
	t.Helper()
	opts := testOptions(t)
	opts.Headless, opts.Retention = true, oldKept
	return opts
}

// deliver is the workflow that was running when the old server ended.
func deliver(ctx workflow.Context, text string, wait bool) (string, error) {
	if wait {
		workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	}
	if text == "done" {
		return text, nil
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var out string
	return out, workflow.ExecuteActivity(ctx, "post", text).Get(ctx, &out)
}

func startDeliverer(t *testing.T, c client.Client) {
	t.Helper()
	w := worker.New(c, taskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(deliver, workflow.RegisterOptions{Name: "deliver"})
	w.RegisterWorkflowWithOptions(answer, workflow.RegisterOptions{Name: "answer"})
	w.RegisterActivityWithOptions(func(_ context.Context, text string) (string, error) { return "posted " + text, nil },
		activity.RegisterOptions{Name: "post"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

// TestOldFileIsUpgraded starts on what an older Temporal left and finishes the work in it.
func TestOldFileIsUpgraded(t *testing.T) {
	t.Parallel()
	opts := oldOptions(t)
	old := placeOldFile(t, opts)
	// An upgrade before this one was killed.
	for _, rest := range []string{".new", ".new-wal"} {
		if err := os.WriteFile(filepath.Join(opts.Dir, fileName+rest), []byte("half made"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	srv := begin(t, opts)
	finishOldWork(t, dial(t, srv))
	kept, err := os.ReadFile(filepath.Join(opts.Dir, oldCopy))
	if err != nil || !bytes.Equal(kept, old) {
		t.Errorf("the copy is not what the file was: %d bytes, %v", len(kept), err)
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	state, err := inspect(t.Context(), filepath.Join(opts.Dir, fileName))
	if err != nil || state.versions != ours() {
		t.Errorf("after the upgrade the file says %v, %v", state.versions, err)
	}
	// The next start has nothing to upgrade.
	if err := os.Remove(filepath.Join(opts.Dir, oldCopy)); err != nil {
		t.Fatal(err)
	}
	begin(t, opts)
	if _, err := os.Stat(filepath.Join(opts.Dir, oldCopy)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("upgraded once more: %v", err)
	}
}

func finishOldWork(t *testing.T, c client.Client) {
	t.Helper()
	ctx := t.Context()
	counted := func(query string, want int64) {
		t.Helper()
		wait.Until(t, query, func() bool {
			n, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
			return err == nil && n.GetCount() == want
		})
	}
	counted("Project = 'tests' AND ExecutionStatus = 'Running'", oldWaiting)
	startDeliverer(t, c)
	if err := c.SignalWorkflow(ctx, "signal", "", "go on", nil); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"done": "done", "signal": "posted signal", "activity": "posted activity", "unseen": "posted unseen",
	} {
		var got string
		if err := c.GetWorkflow(ctx, id, "").Get(ctx, &got); err != nil || got != want {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
	if got, err := ask(ctx, c, "new", "ab"); err != nil || got != "abab" {
		t.Errorf("new work: %q, %v", got, err)
	}
	counted("Project = 'tests' AND ExecutionStatus = 'Completed'", oldWaiting+2)
}

// TestFailedUpgradeLeavesTheFile has an old file that is not what its version says.
func TestFailedUpgradeLeavesTheFile(t *testing.T) {
	t.Parallel()
	opts := oldOptions(t)
	placeOldFile(t, opts)
	path := filepath.Join(opts.Dir, fileName)
	change(t, path, "ALTER TABLE buffered_events DROP COLUMN data")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), "buffered_events") {
		t.Fatalf("started: %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	if left, err := filepath.Glob(path + ".new*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestNewerFileIsRefused keeps an old server off what it cannot read.
func TestNewerFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, newer := range map[string]versions{
		"schema": {schema: "0.99", server: ours().server},
		"server": {schema: ours().schema, server: "1.99.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := oldOptions(t)
			placeOldFile(t, opts)
			path := filepath.Join(opts.Dir, fileName)
			change(t, path, "UPDATE schema_version SET curr_version = '"+newer.schema+"' WHERE db_name = '"+mainRow+"'",
				"UPDATE schema_version SET curr_version = '"+newer.server+"' WHERE db_name = '"+serverRow+"'")
			_, err := Start(t.Context(), opts)
			if !errors.Is(err, ErrNewerFile) || !strings.Contains(err.Error(), newer.String()) {
				t.Fatalf("got %v", err)
			}
			if state, err := inspect(t.Context(), path); !errors.Is(err, ErrNewerFile) {
				t.Errorf("the file is another one: %v, %v", state, err)
			}
		})
	}
}

// TestVersionsOfAFile reads the recorded versions back, and the assumed versions of a
// file without a record.
func TestVersionsOfAFile(t *testing.T) {
	t.Parallel()
	opts := oldOptions(t)
	placeOldFile(t, opts)
	path := filepath.Join(opts.Dir, fileName)
	state, err := inspect(t.Context(), path)
	if want := (versions{schema: "0.10", server: "1.30.4"}); err != nil || state.versions != want {
		t.Errorf("read %v, %v", state.versions, err)
	}
	change(t, path, "DROP TABLE schema_version")
	if state, err = inspect(t.Context(), path); err != nil || state.versions != unrecorded() {
		t.Errorf("without a table: %v, %v", state.versions, err)
	}
}

// TestCopiesAreForgotten removes what was kept for as long as workflows are.
func TestCopiesAreForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{oldCopy: 2 * time.Hour, "temporal-1.31.2.db": 0, fileName: 3 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if at := time.Now().Add(-age); os.Chtimes(path, at, at) != nil {
			t.Fatal("set the time of a file")
		}
	}
	if err := removeCopies(dir, time.Hour); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{oldCopy: false, "temporal-1.31.2.db": true, fileName: true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// change runs statements on a file that no server uses, and leaves them in the file itself.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := openSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
