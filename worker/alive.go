package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
)

// alive shows Temporal that a step still runs, so that the step of a worker
// that was killed is tried again after its heartbeat timeout, not when all
// the time that a slow part may take is over. What a step has reported by
// itself, where to resume, is said again and again: between two reports it may
// wait for a slow model longer than that timeout.
type alive struct {
	interceptor.WorkerInterceptorBase
}

func (*alive) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &aliveInbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}}
}

// aliveInbound is one run of one activity.
type aliveInbound struct {
	interceptor.ActivityInboundInterceptorBase
	reports aliveOutbound
}

func (i *aliveInbound) Init(outbound interceptor.ActivityOutboundInterceptor) error {
	i.reports.Next = outbound
	return i.Next.Init(&i.reports)
}

func (i *aliveInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if info.IsLocalActivity || info.HeartbeatTimeout <= 0 {
		return i.Next.ExecuteActivity(ctx, in)
	}
	if activity.HasHeartbeatDetails(ctx) {
		if err := i.reports.resume(ctx); err != nil {
			return nil, err
		}
	}
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { i.reports.beat(ctx, info.HeartbeatTimeout/3, done) })
	defer beating.Wait()
	defer close(done)
	return i.Next.ExecuteActivity(ctx, in)
}

// aliveOutbound knows what the activity has reported last.
type aliveOutbound struct {
	interceptor.ActivityOutboundInterceptorBase

	mu      sync.Mutex
	details []any
}

// resume takes what an earlier try reported: an empty report would erase it.
func (o *aliveOutbound) resume(ctx context.Context) error {
	var at converter.RawValue // whatever the step reports
	if err := activity.GetHeartbeatDetails(ctx, &at); err != nil {
		return fmt.Errorf("read what an earlier try reported: %w", err)
	}
	o.details = []any{at}
	return nil
}

func (o *aliveOutbound) RecordHeartbeat(ctx context.Context, details ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.details = details
	o.Next.RecordHeartbeat(ctx, details...)
}

// beat reports at every tick until the activity is done.
func (o *aliveOutbound) beat(ctx context.Context, every time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		o.again(ctx)
	}
}

// again repeats the last report. The lock keeps it from overtaking a newer one.
func (o *aliveOutbound) again(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Next.RecordHeartbeat(ctx, o.details...)
}
