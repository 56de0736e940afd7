package main

import (
	"context"
	"fmt"
	"time"
)

const startRounds = 3

// runStart starts mneme on an empty home and on one it knows, and stores a
// memory with the command that a person would use.
func runStart(ctx context.Context, env *Env) ([]Row, error) {
	var first, second, ready durations
	for round := range startRounds {
		home := fmt.Sprintf("start-%d", round)
		for _, into := range []*durations{&first, &second} {
			env.say("starting, round %d", round+1)
			up, stored, err := env.untilStored(ctx, home)
			if err != nil {
				return nil, err
			}
			*into = append(*into, stored)
			if into == &second {
				ready = append(ready, up)
			}
		}
	}
	return []Row{
		{What: "first run: mneme up to a stored memory", Measured: ms(first.p50()), N: len(first)},
		{
			What: "later runs: mneme up to a stored memory", Measured: ms(second.p50()),
			Budget: "< 3 s", Met: verdict(second.p50() < 3*time.Second), N: len(second),
		},
		{What: "of it: until mneme is ready", Measured: ms(ready.p50()), N: len(ready)},
	}, nil
}

// untilStored measures from the start of "mneme up" until it is ready, and
// until "mneme store" has answered.
func (e *Env) untilStored(ctx context.Context, home string) (ready, stored time.Duration, err error) {
	begin := time.Now()
	d, err := e.start(ctx, home)
	if err != nil {
		return 0, 0, err
	}
	ready = time.Since(begin)
	text := fmt.Sprintf("The proxy was restarted at %d.", begin.UnixNano())
	if err := e.mneme(ctx, d.home, "store", text, "--project", project); err != nil {
		return 0, 0, err
	}
	stored = time.Since(begin)
	return ready, stored, d.stop()
}
