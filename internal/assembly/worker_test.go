package assembly

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
)

// TestPatiently repeats what came too late, and nothing else, for a minute at most.
func TestPatiently(t *testing.T) {
	t.Parallel()
	late := fmt.Errorf("create schedule: %w", serviceerror.NewCanceled("stream terminated by RST_STREAM with error code: CANCEL"))
	other := errors.New("the namespace is not found")
	for _, c := range []struct {
		name  string
		err   error
		times int // that it fails; less than 0: always
		want  error
		tries int // less than 0: several
	}{
		{"works", nil, 0, nil, 1},
		{"late twice", late, 2, nil, 3},
		{"deadline", serviceerror.NewDeadlineExceeded("slow"), 1, nil, 2},
		{"of the call", fmt.Errorf("call: %w", context.DeadlineExceeded), 1, nil, 2},
		{"other", other, -1, other, 1},
		{"for ever", late, -1, late, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries, began := 0, time.Now()
				err := patiently(t.Context(), func() error {
					tries++
					if c.times < 0 || tries <= c.times {
						return c.err
					}
					return nil
				})
				if !errors.Is(err, c.want) || c.tries > 0 && tries != c.tries || time.Since(began) > patience {
					t.Errorf("%v after %d tries in %s, want %v after %d", err, tries, time.Since(began), c.want, c.tries)
				}
				if c.tries < 0 && time.Since(began) < patience {
					t.Errorf("gave up after %s", time.Since(began))
				}
			})
		})
	}
}

// TestPatientlyEndsWithItsContext has the caller give up: its own end is no reason to go on.
func TestPatientlyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	err := patiently(ctx, func() error {
		tries++
		cancel()
		return serviceerror.NewCanceled("the caller hung up")
	})
	if err == nil || tries != 1 {
		t.Errorf("%v after %d tries, want an error after one", err, tries)
	}
}
