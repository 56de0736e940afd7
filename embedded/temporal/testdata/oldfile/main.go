// Command oldfile makes the file that TestOldFileIsUpgraded begins with: what the embedded
// server of an older Temporal release leaves behind, with work waiting in it. See README.md.
package main

import (
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdktemporal "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/primitives/timestamp"
	"go.temporal.io/server/common/resolver"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	clusterName = "active"
	namespace   = "default"
	taskQueue   = "test"
	loopback    = "127.0.0.1"
	keep        = 100 * 365 * 24 * time.Hour // the file is opened years later
)

func main() {
	out := flag.String("o", "temporal-"+headers.ServerVersion+".db.gz", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string) error {
	dir, err := os.MkdirTemp("", "oldfile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "temporal.db")
	cfg := sqlConfig(path)
	admin, err := sql.NewSQLAdminDB(sqlplugin.DbKindUnknown, cfg,
		resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return err
	}
	if err := create(cfg, admin); err != nil {
		return err
	}
	srv, err := temporal.NewServer(options(cfg)...)
	if err != nil {
		return err
	}
	if err := srv.Start(); err != nil {
		return err
	}
	if err := leaveWork(context.Background()); err != nil {
		return errors.Join(err, srv.Stop())
	}
	if err := srv.Stop(); err != nil {
		return err
	}
	if err := errors.Join(admin.Exec("PRAGMA wal_checkpoint(TRUNCATE)"), admin.Close()); err != nil {
		return err
	}
	return compress(out, path)
}

// sqlConfig is that of the embedded server.
func sqlConfig(path string) *config.SQL {
	return &config.SQL{
		PluginName: sqliteplugin.PluginName, DatabaseName: path,
		ConnectAttributes: map[string]string{
			"mode": "rwc", "journal_mode": "WAL", "auto_vacuum": "INCREMENTAL", "busy_timeout": "10000",
		},
	}
}

// create writes schema, namespace, the versions of both, and the mark of a complete file.
func create(cfg *config.SQL, admin sqlplugin.AdminDB) error {
	if err := sqliteschema.SetupSchemaOnDB(admin); err != nil {
		return err
	}
	ns, err := sqliteschema.NewNamespaceConfig(clusterName, namespace, false,
		map[string]enumspb.IndexedValueType{"Project": enumspb.INDEXED_VALUE_TYPE_KEYWORD})
	if err != nil {
		return err
	}
	ns.Detail.Config.Retention = timestamp.DurationPtr(keep)
	if err := sqliteschema.CreateNamespaces(cfg, ns); err != nil {
		return err
	}
	return errors.Join(
		admin.CreateSchemaVersionTables(),
		admin.UpdateSchemaVersion("temporal", sqliteschema.Version, sqliteschema.Version),
		admin.UpdateSchemaVersion("temporal_server", headers.ServerVersion, headers.ServerVersion),
		admin.Exec("PRAGMA user_version = 1"),
	)
}

const firstPort = 23170

func hostPort(service int) string { return fmt.Sprintf("%s:%d", loopback, firstPort+service) }

func options(cfg *config.SQL) []temporal.ServerOption {
	names := []primitives.ServiceName{
		primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	}
	hosts := map[primitives.ServiceName]static.Hosts{}
	services := map[string]config.Service{}
	for i, name := range names {
		hosts[name] = static.SingleLocalHost(hostPort(i))
		services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: firstPort + i, BindOnIP: loopback}}
	}
	conf := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: "sqlite", VisibilityStore: "sqlite", NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{"sqlite": {SQL: cfg}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: hostPort(0)},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            services,
		PublicClient:        config.PublicClient{HostPort: hostPort(0)},
	}
	conf.Global.Membership.MaxJoinDuration = 30 * time.Second
	conf.Global.Membership.BroadcastAddress = loopback
	const off = "disabled"
	conf.Archival.History.State, conf.Archival.Visibility.State = off, off
	conf.NamespaceDefaults.Archival.History.State = off
	conf.NamespaceDefaults.Archival.Visibility.State = off
	return []temporal.ServerOption{
		temporal.WithConfig(conf), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log.NewNoopLogger()), temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
	}
}

// deliver is the workflow that the test knows too: it waits for word to go on if it is told
// to, and then hands the text to an activity, which has no worker here.
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

// leaveWork starts four workflows: one that ends, one that waits for a signal, one whose
// activity nobody takes, and, after the worker went, one that nobody has seen.
func leaveWork(ctx context.Context) error {
	c, err := client.Dial(client.Options{HostPort: hostPort(0), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer c.Close()
	worker.SetStickyWorkflowCacheSize(0) // no task waits for a worker that is gone
	w := worker.New(c, taskQueue, worker.Options{LocalActivityWorkerOnly: true})
	w.RegisterWorkflowWithOptions(deliver, workflow.RegisterOptions{Name: "deliver"})
	if err := w.Start(); err != nil {
		return err
	}
	for _, text := range []string{"done", "signal", "activity"} {
		if err := start(ctx, c, text); err != nil {
			return err
		}
	}
	if err := c.GetWorkflow(ctx, "done", "").Get(ctx, nil); err != nil {
		return err
	}
	if err := until(func() bool { return arrived(ctx, c) }); err != nil {
		return err
	}
	w.Stop()
	return start(ctx, c, "unseen")
}

func start(ctx context.Context, c client.Client, text string) error {
	project := sdktemporal.NewSearchAttributeKeyKeyword("Project")
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: text, TaskQueue: taskQueue,
		TypedSearchAttributes: sdktemporal.NewSearchAttributes(project.ValueSet("tests")),
	}, "deliver", text, text == "signal")
	return err
}

// arrived reports whether the worker has done all that it can, and the lists know.
func arrived(ctx context.Context, c client.Client) bool {
	waiting, err := c.DescribeWorkflowExecution(ctx, "signal", "")
	if err != nil || waiting.GetWorkflowExecutionInfo().GetHistoryLength() < 4 {
		return false
	}
	busy, err := c.DescribeWorkflowExecution(ctx, "activity", "")
	if err != nil || len(busy.GetPendingActivities()) != 1 {
		return false
	}
	n, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Completed'"})
	return err == nil && n.GetCount() == 1
}

func until(ok func() bool) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ok() {
			return nil
		}
	}
	return errors.New("not ready within a minute")
}

func compress(out, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = io.Copy(z, in)
	return errors.Join(err, z.Close(), f.Close())
}
