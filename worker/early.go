package worker

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// early ends a step on the fast path a little before its time is over. The
// part that does not answer is named then by whoever waited for it; an end by
// the clock of the workflow names nobody.
type early struct {
	interceptor.WorkerInterceptorBase
}

// margin is what it takes to hand the error on.
const margin = 200 * time.Millisecond

func (*early) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &earlyInbound{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type earlyInbound struct {
	interceptor.ActivityInboundInterceptorBase
}

func (i *earlyInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if deadline, ok := ctx.Deadline(); ok && activity.GetInfo(ctx).IsLocalActivity {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-margin))
		defer cancel()
	}
	return i.Next.ExecuteActivity(ctx, in)
}
