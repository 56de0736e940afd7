package temporal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

const taskQueue = "test"

var projectKey = temporal.NewSearchAttributeKeyKeyword("Project") //nolint:gochecknoglobals // a constant in all but syntax

func testOptions(t testing.TB) Options {
	t.Helper()
	return Options{
		Dir:              t.TempDir(),
		SearchAttributes: map[string]enums.IndexedValueType{"Project": enums.INDEXED_VALUE_TYPE_KEYWORD},
		Logger:           slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// begin starts a server that ends with the test.
func begin(t testing.TB, opts Options) *Server {
	t.Helper()
	srv, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return srv
}

func dial(t testing.TB, srv *Server) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: srv.Addr(),
		Logger:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answer waits for one update and returns its text doubled.
func answer(ctx workflow.Context) error {
	done := false
	err := workflow.SetUpdateHandler(ctx, "answer", func(ctx workflow.Context, text string) (string, error) {
		defer func() { done = true }()
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Second})
		var out string
		err := workflow.ExecuteLocalActivity(ctx, func(_ context.Context, s string) (string, error) {
			return s + s, nil
		}, text).Get(ctx, &out)
		return out, err
	})
	if err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return done })
}

func startWorker(t testing.TB, c client.Client) {
	t.Helper()
	w := worker.New(c, taskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(answer, workflow.RegisterOptions{Name: "answer"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

// ask runs one workflow to the end through Update-with-Start.
func ask(ctx context.Context, c client.Client, id, text string) (string, error) {
	handle, err := askFor(ctx, c, id, text)
	if err != nil {
		return "", err
	}
	var out string
	return out, handle.Get(ctx, &out)
}

// askFor returns when the answer is there to be read.
func askFor(ctx context.Context, c client.Client, id, text string) (client.WorkflowUpdateHandle, error) {
	start := c.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID:                       id,
		TaskQueue:                taskQueue,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    temporal.NewSearchAttributes(projectKey.ValueSet("tests")),
	}, "answer")
	return c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateName:   "answer",
			Args:         []any{text},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
}

func TestWorkflowSurvivesRestart(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	ctx := t.Context()

	srv := begin(t, opts)
	c := dial(t, srv)
	startWorker(t, c)
	got, err := ask(ctx, c, "store/1", "ab")
	if err != nil || got != "abab" {
		t.Fatalf("got %q, %v", got, err)
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}

	again := begin(t, opts)
	c2 := dial(t, again)
	wait.Until(t, "the finished workflow is listed by its project", func() bool {
		list, err := c2.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "Project = 'tests'"})
		return err == nil && len(list.GetExecutions()) == 1 &&
			list.GetExecutions()[0].GetExecution().GetWorkflowId() == "store/1"
	})
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	opts.Dir = filepath.Join(opts.Dir, "a folder with ? and %20")
	begin(t, opts)
	info, err := os.Stat(opts.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("folder: %v %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		seen[e.Name()] = true
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if !seen["temporal.db"] || !seen["temporal.db-wal"] {
		t.Fatalf("files: %v", seen)
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port

	opts := testOptions(t)
	opts.Port = taken
	_, err = Start(t.Context(), opts)
	if !errors.Is(err, ErrPortTaken) || !strings.Contains(err.Error(), fmt.Sprint(taken)) {
		t.Fatalf("got %v", err)
	}
	// What had begun is gone: the folder can be used at once. A port for the web
	// interface is only a wish.
	srv := begin(t, Options{Dir: opts.Dir, UIPort: taken})
	if addr := srv.UIAddr(); addr == "" || addr == l.Addr().String() {
		t.Errorf("the web interface is at %q", addr)
	}
}

// TestUIPort has the web interface where it was asked for.
func TestUIPort(t *testing.T) {
	t.Parallel()
	port, err := freePort(nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := testOptions(t)
	opts.UIPort = port
	if srv := begin(t, opts); srv.UIURL() != "http://"+hostPort(port) {
		t.Errorf("the web interface is at %s, not at port %d", srv.UIURL(), port)
	}
}

func TestFolderInUse(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	begin(t, opts)
	if _, err := Start(t.Context(), opts); !errors.Is(err, ErrDirInUse) {
		t.Fatalf("got %v", err)
	}
}

func TestStopTwiceClosesPorts(t *testing.T) {
	t.Parallel()
	srv := begin(t, testOptions(t))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := srv.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, addr := range []string{srv.Addr(), srv.UIAddr()} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatalf("port still taken: %v", err)
		}
		l.Close()
	}
}

func TestStartCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opts := testOptions(t)
	if _, err := Start(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	begin(t, opts)
}

func TestHalfMadeFileIsReplaced(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	opts.Headless = true
	// What a kill leaves between making the file and writing its schema.
	if err := os.WriteFile(filepath.Join(opts.Dir, fileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dial(t, begin(t, opts))
}

func TestRetentionAndAttributesFollowOptions(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	opts.Headless = true
	if err := begin(t, opts).Stop(); err != nil {
		t.Fatal(err)
	}
	opts.Retention = 5 * time.Hour
	opts.SearchAttributes["Action"] = enums.INDEXED_VALUE_TYPE_KEYWORD
	srv := begin(t, opts)
	c := dial(t, srv)
	ns, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: DefaultNamespace})
	if err != nil {
		t.Fatal(err)
	}
	if got := ns.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); got != 5*time.Hour {
		t.Errorf("retention %v", got)
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	opts.SearchAttributes = map[string]enums.IndexedValueType{"Action": enums.INDEXED_VALUE_TYPE_INT}
	if _, err := Start(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "Action") {
		t.Fatalf("an attribute of another type was accepted: %v", err)
	}
}

func TestUI(t *testing.T) {
	t.Parallel()
	srv := begin(t, testOptions(t))
	get := func(path, host string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.UIURL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if code, body := get("/", ""); code != http.StatusOK || !strings.Contains(body, "<html") {
		t.Errorf("page: %d %.100s", code, body)
	}
	if code, body := get("/api/v1/namespaces/default", ""); code != http.StatusOK || !strings.Contains(body, `"default"`) {
		t.Errorf("api: %d %.200s", code, body)
	}
	if code, _ := get("/api/v1/namespaces/default", "evil.example"); code != http.StatusForbidden {
		t.Errorf("foreign host: %d", code)
	}
}

func TestNothingReachesStdout(t *testing.T) { // not parallel: it replaces the process's streams
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	read := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(r)
		read <- all
	}()

	opts := testOptions(t)
	opts.Logger = nil
	srv, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.Get(srv.UIURL()); err != nil {
		t.Error(err)
	} else {
		resp.Body.Close()
	}
	if err := srv.Stop(); err != nil {
		t.Error(err)
	}
	w.Close()
	if out := <-read; len(out) > 0 {
		t.Errorf("printed: %s", out)
	}
}

// Temporal itself leaves idle gRPC connections behind when it stops; what this package
// starts must be gone.
func TestStopLeavesNoGoroutines(t *testing.T) { // not parallel: it reads every stack
	srv := begin(t, testOptions(t))
	ours := func() string {
		stacks := make([]byte, 16<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var found []string
		for _, stack := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(stack, "mneme/embedded/temporal.") && !strings.Contains(stack, "testing.tRunner") {
				found = append(found, stack)
			}
		}
		return strings.Join(found, "\n\n")
	}
	if ours() == "" {
		t.Fatal("this test sees nothing")
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	if left := ours(); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
}

func TestLoggerPassesOnWarnings(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	l, mute := newLogger(slog.New(slog.NewTextHandler(&buf, nil)))
	l.Info("quiet")
	l.Debug("quiet")
	l.Warn("loud")
	if got := buf.String(); strings.Contains(got, "quiet") || !strings.Contains(got, "loud") {
		t.Fatal(got)
	}
	mute()
	l.Warn("too late")
	if strings.Contains(buf.String(), "too late") {
		t.Fatal("a muted logger wrote")
	}
	defer func() {
		if _, ok := recover().(fatalError); !ok {
			t.Error("Fatal returned")
		}
	}()
	l.Fatal("over")
}
