package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

const (
	recallRounds = 150
	// Counting goes on behind an answer. Nobody asks without a pause.
	betweenCalls = 40 * time.Millisecond
)

// runRecall asks 10,000 memories, and an empty workflow in between.
func runRecall(ctx context.Context, env *Env) ([]Row, error) {
	a, err := env.asker(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	questions := newCorpus(2)
	parts := map[string]durations{}
	found := 0
	recall := func(round int) (time.Duration, error) {
		question := questions.question()
		var answer memory.RecallResult
		took, err := timed(func() (err error) {
			answer, err = a.mneme.Recall(ctx, memory.Query{Text: question, Project: project, MinScore: new(0.0)})
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("recall %q: %w", question, err)
		}
		found += len(answer.Hits)
		if round >= warmUp {
			for part, millis := range answer.TookMillis {
				parts[part] = append(parts[part], time.Duration(millis*float64(time.Millisecond)))
			}
			parts["whole"] = append(parts["whole"], took)
		}
		// What is asked for is all but the embedding, which the answer tells.
		return took - time.Duration(answer.TookMillis["embed"]*float64(time.Millisecond)), nil
	}
	env.say("asking %d questions, and as many empty workflows", recallRounds)
	each, err := inTurns(ctx, recallRounds, betweenCalls,
		func(int) (time.Duration, error) { return a.empty.run(ctx) }, recall)
	if err != nil {
		return nil, err
	}
	if found == 0 {
		return nil, fmt.Errorf("no question found anything")
	}
	return append(besideEmpty("recall but for the embedding", each[1], each[0], 1.5, 3),
		plainRow("the same with the embedding", parts["whole"]),
		plainRow("of it: embedding the question", parts["embed"]),
		plainRow("of it: searching seven collections", parts["search"]),
		plainRow("of it: ranking", parts["rank"])), nil
}

// besideEmpty compares the middle and the slowest with empty workflows: both
// with their middle, which is the stricter reading of the budget.
func besideEmpty(what string, d, empty durations, most50, most95 float64) []Row {
	return []Row{
		plainRow("an empty workflow with an Update", empty),
		ratioRow(what+", p50", d.p50(), "empty p50", empty.p50(), most50, len(d)),
		ratioRow(what+", p95", d.p95(), "empty p50", empty.p50(), most95, len(d)),
	}
}
