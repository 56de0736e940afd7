package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/memory"
)

// errorDetails is what an error keeps on its way through Temporal, beside its
// text and code.
type errorDetails struct {
	Hint string `json:"hint,omitempty"`
	Part string `json:"part,omitempty"`
}

// ToTemporal turns an error into one that survives the way through Temporal:
// the code becomes its type, and what no retry can mend is marked so.
func ToTemporal(err error) error {
	var app *temporal.ApplicationError
	if err == nil || errors.As(err, &app) || temporal.IsCanceledError(err) {
		return err
	}
	details := errorDetails{Hint: memory.HintOf(err), Part: memory.PartOf(err)}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(memory.CodeOf(err)), temporal.ApplicationErrorOptions{
		NonRetryable: !memory.Retryable(err),
		Details:      []any{details},
	})
}

// FromTemporal is the inverse of [ToTemporal]. An error that did not come from
// it is returned as it is.
func FromTemporal(err error) error {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return err
	}
	var details errorDetails
	if app.HasDetails() {
		if decodeErr := app.Details(&details); decodeErr != nil {
			details = errorDetails{}
		}
	}
	code := memory.Code(app.Type())
	switch code {
	case memory.Invalid, memory.NotFound, memory.Unavailable, memory.Refused, memory.Conflict:
	default:
		code = memory.Internal
	}
	return &memory.Error{Code: code, Part: details.Part, Hint: details.Hint, Err: errors.New(app.Message())}
}

// ErrorInterceptor applies [ToTemporal] to the errors of all activities, so
// that none of them has to do so itself.
func ErrorInterceptor() interceptor.WorkerInterceptor { return &errorInterceptor{} }

type errorInterceptor struct {
	interceptor.WorkerInterceptorBase
}

func (*errorInterceptor) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &errorInbound{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type errorInbound struct {
	interceptor.ActivityInboundInterceptorBase
}

func (i *errorInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := i.Next.ExecuteActivity(ctx, in)
	return out, ToTemporal(err)
}
