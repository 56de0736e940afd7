package workflows_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mneme-memory/mneme/activities"
	embeddedollama "github.com/mneme-memory/mneme/embedded/ollama"
	embeddedqdrant "github.com/mneme-memory/mneme/embedded/qdrant"
	embeddedtemporal "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/postgres"
	mnemetemporal "github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/worker"
	"github.com/mneme-memory/mneme/workflows"
)

// patience is how long a condition may take to come true: the longest wait
// between two tries of a step is 15 s.
const patience = 60 * time.Second

// shared are the parts that the tests have in common. They are started by the
// first test that needs them.
type shared struct {
	temporal string // address
	postgres string // URL
	ollama   string // URL
	keys     string // file of the keys of what Temporal keeps

	mu    sync.Mutex
	stops []func() error
}

// theShared starts the parts once, or returns why that failed.
var theShared = &shared{}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := theShared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func (s *shared) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		errs = append(errs, s.stops[i]())
	}
	return errors.Join(errs...)
}

func (s *shared) start(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Temporal and PostgreSQL")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temporal != "" {
		return
	}
	ctx := context.WithoutCancel(t.Context()) // they outlive the test that starts them
	dir, err := os.MkdirTemp("", "mneme-workflows-")
	if err != nil {
		t.Fatal(err)
	}
	s.stops = append(s.stops, func() error { return os.RemoveAll(dir) })
	pg, stop, err := testkit.StartPostgres(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.stops = append(s.stops, stop)
	models, err := embeddedollama.Start(ctx, embeddedollama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.stops = append(s.stops, models.Stop)
	server, err := embeddedtemporal.Start(ctx, embeddedtemporal.Options{Dir: dir, Headless: true})
	if err != nil {
		t.Fatal(err)
	}
	s.stops = append(s.stops, server.Stop)
	s.postgres, s.ollama, s.temporal = pg, models.URL(), server.Addr()
	s.keys = filepath.Join(dir, "payload.keys")
}

// noLedger makes names without an identity: each test has a namespace of its own.
const noLedger = ""

// rig is mneme on real parts: a Temporal namespace, a ledger and an index of
// the test's own.
type rig struct {
	*workflows.Client

	temporal  client.Client
	namespace string
	qdrant    string // address of the index
	ledger    *postgres.Ledger
	acts      *activities.Activities // what the next worker is made of
	stop      func()                 // stops the worker, twice if need be
}

// newRig starts everything but the worker.
func newRig(t testing.TB) *rig {
	t.Helper()
	theShared.start(t)
	r := &rig{namespace: "test-" + strings.ToLower(rand.Text()[:10]), stop: func() {}}
	r.makeNamespace(t)
	r.temporal = r.dial(t)
	r.Client = workflows.NewClient(r.temporal, redactor(t), noLedger)
	index, err := embeddedqdrant.Start(t.Context(), embeddedqdrant.Options{Dir: t.TempDir()})
	check(t, err)
	t.Cleanup(func() { check(t, index.Stop()) })
	r.qdrant = index.Addr()
	r.ledger, err = assembly.OpenLedger(t.Context(), testkit.Schema(t, theShared.postgres), slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(r.ledger.Close)
	points, err := assembly.OpenIndex(config.Qdrant{Address: index.Addr()}, r.ledger, true, nil)
	check(t, err)
	t.Cleanup(func() { check(t, points.Close()) })
	embedder, err := ollama.New(ollama.Options{URL: theShared.ollama, Model: "mneme-static"})
	check(t, err)
	r.acts = assembly.Parts{Embedder: embedder, Ledger: r.ledger, Index: points, Redactor: redactor(t)}.Activities()
	return r
}

// realRig starts everything.
func realRig(t testing.TB) *rig {
	t.Helper()
	r := newRig(t)
	r.work(t)
	return r
}

// work starts a worker, which is stopped with the test or by r.stop.
func (r *rig) work(t testing.TB) {
	t.Helper()
	w := worker.New(r.temporal, r.acts, noLedger)
	check(t, w.Start())
	var once sync.Once
	r.stop = func() { once.Do(w.Stop) }
	t.Cleanup(r.stop)
}

func (r *rig) makeNamespace(t testing.TB) {
	t.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: theShared.temporal, Logger: silent()})
	check(t, err)
	defer c.Close()
	check(t, c.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: r.namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	probe := r.dial(t)
	eventually(t, "the namespace is known", func() bool {
		return worker.EnsureSearchAttributes(t.Context(), probe, r.namespace) == nil
	})
	// The server believes in new search attributes a moment later.
	eventually(t, "a workflow can be started", func() bool {
		options := startOptions("probe")
		var values []temporal.SearchAttributeUpdate
		for _, name := range workflows.SearchAttributes() {
			values = append(values, temporal.NewSearchAttributeKeyKeyword(name).ValueSet("probe"))
		}
		options.TypedSearchAttributes = temporal.NewSearchAttributes(values...)
		if _, err := probe.ExecuteWorkflow(t.Context(), options, "Probe"); err != nil {
			return false
		}
		return probe.TerminateWorkflow(t.Context(), "probe", "", "it has served") == nil
	})
}

// dial connects to the namespace; every call passes through the interceptors.
func (r *rig) dial(t testing.TB, interceptors ...grpc.UnaryClientInterceptor) client.Client {
	t.Helper()
	options, err := mnemetemporal.Options(r.server(), nil)
	check(t, err)
	options.Identity = "mneme"
	// Before the one that encrypts: a test wants to see what is sent.
	own := grpc.WithChainUnaryInterceptor(interceptors...)
	options.ConnectionOptions.DialOptions = append([]grpc.DialOption{own}, options.ConnectionOptions.DialOptions...)
	c, err := client.DialContext(t.Context(), options)
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

// server is the Temporal of the test's namespace, and the key of all who use it.
func (r *rig) server() config.Temporal {
	return config.Temporal{Address: theShared.temporal, Namespace: r.namespace, KeyFile: theShared.keys}
}

// client returns a client of mneme whose calls pass through interceptors.
func (r *rig) client(t testing.TB, interceptors ...grpc.UnaryClientInterceptor) *workflows.Client {
	t.Helper()
	return workflows.NewClient(r.dial(t, interceptors...), redactor(t), noLedger)
}

// store stores one fact of project "p" and returns its id.
func (r *rig) store(t testing.TB, text string) string {
	t.Helper()
	out, err := r.Store(t.Context(), memory.StoreInput{Text: text, Project: "p", Source: memory.SourceTool})
	check(t, err)
	switch out.Status {
	case memory.Stored:
	case memory.Accepted: // the machine is busy
		r.becomesStored(t, out)
	default:
		t.Fatalf("stored %q: %+v", text, out)
	}
	return out.ID
}

// audit returns the audit rows of a memory that have an action.
func (r *rig) audit(t testing.TB, id, action string) []memory.Audit {
	t.Helper()
	h, err := r.ledger.History(t.Context(), id)
	check(t, err)
	var out []memory.Audit
	for _, a := range h.Audit {
		if a.Action == action {
			out = append(out, a)
		}
	}
	return out
}

// runs counts the runs of a workflow.
func (r *rig) runs(t testing.TB, id string) int {
	t.Helper()
	n, run := 0, ""
	for {
		d, err := r.temporal.DescribeWorkflowExecution(t.Context(), id, run)
		check(t, err)
		n++
		info := d.GetWorkflowExecutionInfo()
		first := info.GetFirstRunId()
		if info.GetExecution().GetRunId() == first {
			return n
		}
		run = r.before(t, id, info.GetExecution().GetRunId())
	}
}

// before returns the run that a run was continued from.
func (r *rig) before(t testing.TB, id, run string) string {
	t.Helper()
	events := r.temporal.GetWorkflowHistory(t.Context(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	event, err := events.Next()
	check(t, err)
	return event.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId()
}

// startOptions are for workflows that a test starts past the client.
func startOptions(id string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: id, TaskQueue: workflows.TaskQueue(noLedger)}
}

// status returns the status of a workflow's newest run.
func (r *rig) status(t testing.TB, id string) enumspb.WorkflowExecutionStatus {
	t.Helper()
	d, err := r.temporal.DescribeWorkflowExecution(t.Context(), id, "")
	check(t, err)
	return d.GetWorkflowExecutionInfo().GetStatus()
}

func redactor(t testing.TB) memory.Redactor {
	t.Helper()
	out, err := dial.Redactor(config.Temporal{}, "", "")
	check(t, err)
	return out
}

func silent() sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (%s)", err, memory.HintOf(err))
	}
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("not in %v: %s", patience, what)
		case <-tick.C:
		}
	}
}
