package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// durations are measurements of one thing.
type durations []time.Duration

// quantile is the measurement that a share q of all does not exceed; zero of
// none.
func (d durations) quantile(q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func (d durations) p50() time.Duration { return d.quantile(.5) }
func (d durations) p95() time.Duration { return d.quantile(.95) }

func (d durations) String() string {
	return fmt.Sprintf("p50 %s, p95 %s", ms(d.p50()), ms(d.p95()))
}

// ms writes a duration with three digits or so.
func ms(d time.Duration) string {
	switch v := float64(d.Microseconds()) / 1000; {
	case v >= 10_000:
		return fmt.Sprintf("%.1f s", v/1000)
	case v >= 1000:
		return fmt.Sprintf("%.2f s", v/1000)
	case v >= 100:
		return fmt.Sprintf("%.0f ms", v)
	case v >= 10:
		return fmt.Sprintf("%.1f ms", v)
	default:
		return fmt.Sprintf("%.2f ms", v)
	}
}

// timed returns how long f took.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// warmUp is how many rounds are not counted: caches fill, connections open.
const warmUp = 5

// inTurns calls the functions one after the other, n rounds of them, so that
// what disturbs the machine meanwhile disturbs all alike. Each returns what it
// measured. Between two calls is a pause, in which what a call left to do
// behind its answer is done.
func inTurns(ctx context.Context, n int, pause time.Duration, functions ...func(round int) (time.Duration, error)) ([]durations, error) {
	out := make([]durations, len(functions))
	for round := range n + warmUp {
		for i, f := range functions {
			took, err := f(round)
			if err != nil {
				return nil, err
			}
			if round >= warmUp {
				out[i] = append(out[i], took)
			}
			if err := rest(ctx, pause); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// rest waits.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
