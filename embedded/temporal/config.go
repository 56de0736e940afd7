package temporal

import (
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

// defaultRetentionJitter spreads deletions a little, so that a burst of workflows is not
// deleted in one burst. Temporal's half hour is meant for clusters.
const defaultRetentionJitter = time.Minute

func serverOptions(opts Options, db *database, p ports, logger log.Logger) []temporal.ServerOption {
	cfg := serverConfig(db, p)
	return []temporal.ServerOption{
		temporal.WithConfig(cfg),
		temporal.ForServices(temporal.DefaultServices),
		// Static hosts: no gossip, so no port for it.
		temporal.WithStaticHosts(map[primitives.ServiceName]static.Hosts{
			primitives.FrontendService: static.SingleLocalHost(hostPort(p.frontend)),
			primitives.HistoryService:  static.SingleLocalHost(hostPort(p.history)),
			primitives.MatchingService: static.SingleLocalHost(hostPort(p.matching)),
			primitives.WorkerService:   static.SingleLocalHost(hostPort(p.worker)),
		}),
		temporal.WithLogger(logger),
		temporal.WithTLSConfigFactory(secured{opts.TLS}),
		// Who TLS lets in may do everything: there is one user.
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
		temporal.WithDynamicConfigClient(tuning(opts)),
		temporal.WithChainedFrontendGrpcInterceptors(db.answers.intercept),
	}
}

func serverConfig(db *database, p ports) *config.Config {
	const store = "sqlite"
	cfg := &config.Config{
		Persistence: config.Persistence{
			DefaultStore:    store,
			VisibilityStore: store,
			// One shard: there is one process and one connection to write with. The
			// number can never change once the file exists.
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{store: {SQL: db.cfg}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {
					Enabled:                true,
					InitialFailoverVersion: 1,
					RPCAddress:             hostPort(p.frontend),
				},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{
			string(primitives.FrontendService): service(p.frontend),
			string(primitives.HistoryService):  service(p.history),
			string(primitives.MatchingService): service(p.matching),
			string(primitives.WorkerService):   service(p.worker),
		},
		PublicClient: config.PublicClient{HostPort: hostPort(p.frontend)},
	}
	cfg.Global.Membership.MaxJoinDuration = 30 * time.Second
	cfg.Global.Membership.BroadcastAddress = loopback
	const off = "disabled"
	cfg.Archival.History.State, cfg.Archival.Visibility.State = off, off
	cfg.NamespaceDefaults.Archival.History.State = off
	cfg.NamespaceDefaults.Archival.Visibility.State = off
	return cfg
}

// service binds one service to loopback. No HTTP port: nobody here speaks it.
func service(port int) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: loopback}}
}

// tuning is Temporal's dynamic configuration, fixed here. Its defaults are made for
// clusters that serve many tenants; ours serves one person and is idle most of the day.
func tuning(opts Options) dynamicconfig.StaticClient {
	values := dynamicconfig.StaticClient{}
	for _, group := range []dynamicconfig.StaticClient{latency(), footprint(), privacy(opts)} {
		for key, value := range group {
			values[key] = value
		}
	}
	return values
}

// latency is what makes a short workflow short.
func latency() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		// The default of 20 polls a second makes every task dispatch on a single shard
		// wait 50 ms: four activities in a row took 250 ms, with 5,000 they take 47 ms.
		dynamicconfig.TransferProcessorMaxPollRPS.Key(): 5000,
		// The same limit on timers (retries, time-outs), for the same reason.
		dynamicconfig.TimerProcessorMaxPollRPS.Key(): 5000,
		// With fast dispatch, about 1 in 150 short workflows closes in the moment a
		// waiting client's history poll is set up, and the poll misses it until it
		// expires: 20 s by default. Waiting through Updates avoids it; this bounds it.
		dynamicconfig.HistoryLongPollExpirationInterval.Key(): time.Second,
		// The first workflow task travels with the answer to the start when client and
		// worker share a process: one dispatch less (p50 16 to 8-10 ms).
		dynamicconfig.EnableEagerWorkflowStart.Key(): true,
		// Results are waited for through Updates and Update-with-Start.
		dynamicconfig.FrontendEnableUpdateWorkflowExecution.Key():              true,
		dynamicconfig.FrontendEnableUpdateWorkflowExecutionAsyncAccepted.Key(): true,
		// One process cannot share a task queue's load among partitions, only lose time
		// forwarding between them.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		// Listing workflows is limited to 10 a second, which a busy UI page exceeds.
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,
	}
}

// footprint is what keeps an idle server small and asleep.
func footprint() dynamicconfig.StaticClient {
	const workers = 16 // goroutines per task queue; the defaults of 512 wait for one connection
	return dynamicconfig.StaticClient{
		dynamicconfig.TransferProcessorSchedulerWorkerCount.Key():    workers,
		dynamicconfig.TimerProcessorSchedulerWorkerCount.Key():       workers,
		dynamicconfig.MemoryTimerProcessorSchedulerWorkerCount.Key(): workers,
		dynamicconfig.VisibilityProcessorSchedulerWorkerCount.Key():  workers,
		dynamicconfig.ArchivalProcessorSchedulerWorkerCount.Key():    1, // archival is off
		// A workflow's state stays in memory for its whole cache life (up to 20 KB each);
		// ours finish in milliseconds, so a thousand recent ones are plenty.
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():     1000,
		dynamicconfig.HistoryCacheTTL.Key():                  5 * time.Minute,
		dynamicconfig.EventsHostLevelCacheMaxSizeBytes.Key(): 8 << 20,
		dynamicconfig.EventsCacheTTL.Key():                   5 * time.Minute,
		// The scanners sweep up after nodes that died in a large cluster, with workers
		// of their own that poll for ever and that Temporal never stops; here they would
		// find a few rows of idle task queues.
		dynamicconfig.TaskQueueScannerEnabled.Key(): false,
		dynamicconfig.HistoryScannerEnabled.Key():   false,
		// Sizes of payloads kept outside Temporal; ours are not. Counting them writes to
		// events that an answer may be encoding at that moment, which is a data race.
		dynamicconfig.ExternalPayloadsEnabled.Key(): false,
		// A history is deleted on request when the checkpoint of this queue has passed its end: the
		// default of 30 s is how long a purge would wait. With nothing to do a checkpoint writes nothing.
		dynamicconfig.TransferProcessorUpdateAckInterval.Key(): 2 * time.Second,
		// Without its worker, children are closed in the history service itself.
		dynamicconfig.EnableParentClosePolicyWorker.Key(): false,
	}
}

// privacy is what keeps the server from calling out, and from keeping data too long.
func privacy(opts Options) dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		// Asks temporal.io for newer versions, telling it about this one.
		dynamicconfig.EnableServerVersionCheck.Key(): false,
		// Deletion follows retention by at most this much.
		dynamicconfig.RetentionTimerJitterDuration.Key(): opts.retentionJitter,
		dynamicconfig.NamespaceMinRetentionLocal.Key():   time.Hour,
	}
}
