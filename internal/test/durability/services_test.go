package durability

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/workflows"
)

// services are the addresses a worker is given.
type services struct {
	temporal, namespace, postgres, qdrant, ollama string

	qdrantKey     string // "" where Qdrant wants none
	postgresOwner string // for the eyes; "" where postgres does
}

// keyCommand prints the key of what Temporal keeps, which all workers and doors share.
const keyCommand = "echo of-the-tests AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func (s services) environ(home string) []string {
	return append(os.Environ(),
		"MNEME_HOME="+home, "HOME="+home,
		"MNEME_TEMPORAL_KEY_COMMAND="+keyCommand,
		"MNEME_TEMPORAL_ADDRESS="+s.temporal, "MNEME_TEMPORAL_NAMESPACE="+s.namespace,
		"MNEME_POSTGRES_URL="+s.postgres, "MNEME_QDRANT_ADDRESS="+s.qdrant,
		"MNEME_OLLAMA_URL="+s.ollama, "MNEME_EMBED_MODEL=mneme-static", "MNEME_QDRANT_API_KEY="+s.qdrantKey)
}

// through returns the same services behind proxies with a gate.
func (s services) through(t testing.TB, g *gate) services {
	t.Helper()
	return services{
		namespace: s.namespace, qdrantKey: s.qdrantKey,
		temporal: proxyGRPC(t, g, s.temporal, taskCalls, refuseNothing),
		qdrant:   proxyGRPC(t, g, s.qdrant, everyCall, g.refuseQdrant),
		postgres: proxyPostgres(t, g, s.postgres),
		ollama:   proxyHTTP(t, g, s.ollama),
	}
}

// makeNamespace makes a Temporal namespace, so that tests that run side by
// side do not get each other's work.
func makeNamespace(t testing.TB, s services) {
	t.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: s.temporal, Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: s.namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	if err != nil {
		t.Fatalf("register namespace %s: %v", s.namespace, err)
	}
}

func silent() sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
}

// dialWorkflows connects as a door does. With a task timeout other than zero
// a worker's death is noticed sooner than after Temporal's ten seconds.
func dialWorkflows(t testing.TB, s services, taskTimeout time.Duration) *workflows.Client {
	t.Helper()
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	options, err := temporal.Options(config.Temporal{Address: s.temporal, Namespace: s.namespace, KeyCommand: keyCommand}, nil)
	if err != nil {
		t.Fatal(err)
	}
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(hurry(taskTimeout)))
	c, err := client.DialContext(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := openLedger(t, s).Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := workflows.NewClient(c, redactor, ledger)
	t.Cleanup(out.Close)
	return out
}

// openLedger opens the ledger that the workers use, and makes it if they have
// not yet.
func openLedger(t testing.TB, s services) *postgres.Ledger {
	t.Helper()
	ledger, err := postgres.Open(t.Context(), postgres.Options{URL: s.postgres, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ledger.Close)
	if err := ledger.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ledger
}

// hurry sets the workflow task timeout of every workflow that is started.
func hurry(taskTimeout time.Duration) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if taskTimeout > 0 {
			switch r := req.(type) {
			case *workflowservice.StartWorkflowExecutionRequest:
				r.WorkflowTaskTimeout = durationpb.New(taskTimeout)
			case *workflowservice.ExecuteMultiOperationRequest:
				for _, op := range r.GetOperations() {
					if start := op.GetStartWorkflow(); start != nil {
						start.WorkflowTaskTimeout = durationpb.New(taskTimeout)
					}
				}
			}
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
}

// serveChild runs one of the servers in a child process.
func serveChild(t testing.TB, what, addr, dir string, more ...string) (*process, string) {
	t.Helper()
	cmd := exec.Command(serverBinary, append([]string{what, "-addr", addr, "-dir", dir}, more...)...)
	in, err := cmd.StdinPipe() // ends the child if this process dies
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	p, line := spawn(t, cmd, isServing)
	return p, strings.TrimPrefix(line, serving)
}

// eyes look past the worker at what is really kept.
type eyes struct {
	pool   *pgxpool.Pool
	ledger *postgres.Ledger
	index  *qdrant.Index
	qdrant string // address
}

func openEyes(t testing.TB, s services) eyes {
	t.Helper()
	config, err := pgxpool.ParseConfig(cmp.Or(s.postgresOwner, s.postgres))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1 // there are many eyes
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	ledger := openLedger(t, s)
	return eyes{pool: pool, ledger: ledger, index: openIndex(t, s, ledger), qdrant: s.qdrant}
}

func openIndex(t testing.TB, s services, of qdrant.Ledger) *qdrant.Index {
	t.Helper()
	index, err := qdrant.Open(qdrant.Options{
		Address: s.qdrant, APIKey: s.qdrantKey, Ledger: of, Document: keyword.Vector, Query: keyword.Query,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return index
}
