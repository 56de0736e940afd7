package worker

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// alive shows Temporal that a step still runs, so that the step of a worker
// that was killed is tried again after its heartbeat timeout, not when all
// the time that a slow part may take is over. A step that reports by itself
// how far it is, is left alone: its reports say where to resume.
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
	if info.IsLocalActivity || info.HeartbeatTimeout <= 0 || activity.HasHeartbeatDetails(ctx) {
		return i.Next.ExecuteActivity(ctx, in)
	}
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { i.reports.beat(ctx, info.HeartbeatTimeout/3, done) })
	defer beating.Wait()
	defer close(done)
	return i.Next.ExecuteActivity(ctx, in)
}

// aliveOutbound knows whether the activity reports by itself.
type aliveOutbound struct {
	interceptor.ActivityOutboundInterceptorBase

	mu  sync.Mutex
	own bool
}

func (o *aliveOutbound) RecordHeartbeat(ctx context.Context, details ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.own = true
	o.Next.RecordHeartbeat(ctx, details...)
}

// beat reports at every tick until the activity is done or reports by itself.
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
		if !o.once(ctx) {
			return
		}
	}
}

// once reports unless the activity has done so. The lock keeps an empty
// report from overtaking one that says where to resume.
func (o *aliveOutbound) once(ctx context.Context) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own {
		return false
	}
	o.Next.RecordHeartbeat(ctx)
	return true
}
