package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"google.golang.org/grpc/codes"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/worker"
	"github.com/mneme-memory/mneme/workflows"
)

// WorkerOptions say where a worker gets its work. All fields are required.
type WorkerOptions struct {
	Temporal config.Temporal // its address is that of the server that runs
	Logger   *slog.Logger
}

// Worker is a running worker. Make one with [StartWorker].
type Worker struct {
	client   client.Client
	worker   sdkworker.Worker
	watching func() // ends the watch
}

// StartWorker connects to Temporal, registers what workflows need there
// (search attributes, the weekly schedule), begins to work, and watches the index.
func StartWorker(ctx context.Context, o WorkerOptions, a *activities.Activities) (*Worker, error) {
	c, err := temporal.Dial(ctx, o.Temporal, o.Logger)
	if err != nil {
		return nil, err
	}
	w := &Worker{client: c}
	err = patiently(ctx, func() error {
		w.worker = worker.New(c, a) // one whose start failed cannot be started again
		return w.start(ctx, o.Temporal.Namespace)
	})
	if err != nil {
		c.Close()
		// A namespace that is still being made is the usual reason: worth another try.
		return nil, memory.Down("Temporal", "check MNEME_TEMPORAL_NAMESPACE, and that its search attributes and schedules may be changed", err)
	}
	w.watchIndex(ctx, a, o.Logger)
	return w, nil
}

// lookEvery is how often a worker looks whether the index has lost something: seven counts.
const lookEvery = 5 * time.Second

// watchIndex has what the index loses written again, until the worker stops.
func (w *Worker) watchIndex(ctx context.Context, a *activities.Activities, log *slog.Logger) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	w.watching = func() { cancel(); <-done }
	upkeep := workflows.NewClient(w.client, a.Redactor)
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

func (w *Worker) start(ctx context.Context, namespace string) error {
	if err := worker.EnsureSearchAttributes(ctx, w.client, namespace); err != nil {
		return err
	}
	if err := worker.EnsureSchedule(ctx, w.client); err != nil {
		return err
	}
	if err := w.worker.Start(); err != nil {
		return fmt.Errorf("start worker: %w", err)
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
	w.worker.Stop()
	w.client.Close()
}
