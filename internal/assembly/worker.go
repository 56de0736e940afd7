package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"google.golang.org/grpc/codes"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/purge"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/worker"
	"github.com/mneme-memory/mneme/workflows"
)

// WorkerOptions say where a worker gets its work. Temporal, Ledger and Logger are
// required.
type WorkerOptions struct {
	Temporal config.Temporal // its address is that of the server that runs
	Ledger   *postgres.Ledger
	Logger   *slog.Logger

	// Private says that nobody else uses the Temporal. The work that an earlier mneme
	// left there, without saying for which ledger, is then this ledger's.
	Private bool

	// Home is where the worker keeps the receipts of purges, and looks for purged texts. Empty: it
	// does no purges.
	Home string
	// OwnPostgres says that PostgreSQL is the home's own; CompactIndex has the home's own index
	// write its log anew, nil if it is another one. Unreached is what a purge cannot search.
	OwnPostgres  bool
	CompactIndex func(ctx context.Context) error
	Unreached    []memory.Unreached
	// ProjectRedactor returns the redactor with the rules of a project's folder. Nil: the worker
	// redacts nothing anew.
	ProjectRedactor func(dir string) (memory.Redactor, error)
}

// Worker is a running worker. Make one with [StartWorker].
type Worker struct {
	client   client.Client
	workers  []sdkworker.Worker
	watching func() // ends the watch
}

// StartWorker connects to Temporal, registers what workflows need there
// (search attributes, the weekly schedule), begins to work, and watches the index.
func StartWorker(ctx context.Context, o WorkerOptions, a *activities.Activities) (*Worker, error) {
	c, err := temporal.Dial(ctx, o.Temporal, o.Logger)
	if err != nil {
		return nil, err
	}
	w := &Worker{client: c, watching: func() {}}
	ledger, err := o.Ledger.Identity(ctx)
	if err == nil {
		if o.Home != "" {
			a.Purges = o.purges(c, ledger)
		}
		err = patiently(ctx, func() error { return w.start(ctx, ledger, o, a) })
	}
	if err != nil {
		w.Stop()
		if memory.CodeOf(err) == memory.Refused {
			return nil, err
		}
		// A namespace that is still being made is the usual reason: worth another try.
		return nil, memory.Down("Temporal", "check MNEME_TEMPORAL_NAMESPACE, and that its search attributes and schedules may be changed", err)
	}
	w.watchIndex(ctx, ledger, a, o.Logger)
	return w, nil
}

// purges returns what looks for purged texts in the home and in Temporal.
func (o WorkerOptions) purges(c client.Client, ledger string) activities.Purges {
	return &purge.Keeper{
		Redaction: o.redaction(),
		Home:      o.Home, OwnPostgres: o.OwnPostgres, CompactIndex: o.CompactIndex, Unreached: o.Unreached,
		Histories: temporal.Histories{
			Client: c, Namespace: o.Temporal.Namespace,
			Queues: []string{workflows.TaskQueue(ledger), workflows.TaskQueue("")},
		},
	}
}

// redaction returns what reads the rules of today, so that a daemon that runs for long knows them too.
func (o WorkerOptions) redaction() func(dir, project string) (memory.Redaction, error) {
	if o.ProjectRedactor == nil {
		return nil
	}
	return func(dir, project string) (memory.Redaction, error) {
		now, err := o.ProjectRedactor("")
		if err != nil {
			return memory.Redaction{}, err
		}
		out := memory.Redaction{Base: now, Project: project}
		if dir == "" {
			return out, nil
		}
		local, err := o.ProjectRedactor(dir)
		out.Local = local
		return out, err
	}
}

// lookEvery is how often a worker looks whether the index has lost something: seven counts.
const lookEvery = 5 * time.Second

// watchIndex has what the index loses written again, until the worker stops.
func (w *Worker) watchIndex(ctx context.Context, ledger string, a *activities.Activities, log *slog.Logger) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	w.watching = func() { cancel(); <-done }
	upkeep := workflows.NewClient(w.client, a.Redactor, ledger)
	refill := func(ctx context.Context) error {
		log.WarnContext(ctx, "the index has lost memories, writing them again")
		report, err := upkeep.Rebuild(ctx, memory.RebuildInput{Check: true, User: "worker"}, nil)
		if err == nil {
			log.WarnContext(ctx, "the index was compared with the ledger", "equal", report.Equal, "collections", report.Collections)
		}
		return err
	}
	go func() {
		defer close(done)
		activities.WatchIndex(ctx, a, lookEvery, refill, func(err error) {
			log.WarnContext(ctx, "look whether the index has lost something", "err", err, "hint", memory.HintOf(err))
		})
	}()
}

// start may be repeated until it succeeds.
func (w *Worker) start(ctx context.Context, ledger string, o WorkerOptions, a *activities.Activities) error {
	if err := worker.EnsureSearchAttributes(ctx, w.client, o.Temporal.Namespace); err != nil {
		return err
	}
	old := o.Private
	if !old {
		var err error
		if old, err = oldWork(ctx, w.client, o); err != nil {
			return err
		}
	}
	ledgers := []string{ledger}
	if old {
		if err := worker.MoveSchedules(ctx, w.client, ledger); err != nil {
			return err
		}
		ledgers = append(ledgers, "")
	}
	if err := worker.EnsureSchedule(ctx, w.client, ledger); err != nil {
		return err
	}
	if err := readable(ctx, w.client, ledger); err != nil {
		return err
	}
	for _, l := range ledgers[len(w.workers):] {
		one := worker.New(w.client, a, l) // one whose start failed cannot be started again
		if err := one.Start(); err != nil {
			return fmt.Errorf("start worker: %w", err)
		}
		w.workers = append(w.workers, one)
	}
	return nil
}

// readable reports whether this worker has the key of what others have Temporal keep for the
// ledger. It could take no work without, and those who wait would not know why. The ledger's
// first worker has left something sealed: what the weekly run is started with.
func readable(ctx context.Context, c client.Client, ledger string) error {
	_, err := c.ScheduleClient().GetHandle(ctx, workflows.OrganizeSchedule(ledger)).Describe(ctx)
	var locked *serviceerror.FailedPrecondition
	if errors.As(err, &locked) {
		return memory.Refusal("Temporal", "give this home the key; if it is lost for good, set MNEME_TEMPORAL_NAMESPACE to a new one, "+
			"or move the home's folder temporal away: what is stored stays, what was accepted and still waits is lost", err)
	}
	if err != nil {
		return fmt.Errorf("look at a schedule: %w", err)
	}
	return nil
}

// The times of patiently.
const (
	patience = time.Minute
	pause    = 200 * time.Millisecond
)

// patiently repeats what a server did not answer in time, as happens on a machine
// that is busy with starting everything. It must be something that may be done twice:
// the server may have done it all the same.
func patiently(ctx context.Context, do func() error) error {
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		err := do()
		if err == nil || ctx.Err() != nil || !late(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-end.C:
			return err
		case <-tick.C:
		}
	}
}

// late reports whether a call's time was over, which is short and not the caller's.
func late(err error) bool {
	var served serviceerror.ServiceError
	if errors.As(err, &served) {
		code := served.Status().Code()
		return code == codes.DeadlineExceeded || code == codes.Canceled // as who hung up was told
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// Stop takes no more work and waits for the steps that run, then closes the
// connection. What was not done by then, another worker does.
func (w *Worker) Stop() {
	w.watching()
	var all sync.WaitGroup
	for _, one := range w.workers {
		all.Go(one.Stop)
	}
	all.Wait()
	w.client.Close()
}
