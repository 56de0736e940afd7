package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/memory"
)

const storeRounds = 100

// runStore stores among 10,000 memories, and runs empty workflows in between.
func runStore(ctx context.Context, env *Env) ([]Row, error) {
	a, err := env.asker(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	embedder, err := a.daemon.embedder()
	if err != nil {
		return nil, err
	}
	sentences := newCorpus(3)
	text := ""
	store := func(round int) (time.Duration, error) {
		text = sentences.sentence(1_000_000 + round)
		return timed(func() error {
			r, err := a.mneme.Store(ctx, memory.StoreInput{Text: text, Project: project, Source: memory.SourceTool})
			if err == nil && r.Status != memory.Stored && r.Status != memory.MergedIn {
				err = fmt.Errorf("store %q: %s", text, r.Status)
			}
			return err
		})
	}
	// The store does not tell how long the embedding took, so the same text is
	// embedded once more in the way the worker does it.
	embed := func(int) (time.Duration, error) {
		return timed(func() error {
			_, err := embedder.Embed(ctx, ollama.Document, []string{text})
			return err
		})
	}
	env.say("storing %d memories, and running as many empty workflows", storeRounds)
	each, err := inTurns(ctx, storeRounds, betweenCalls,
		func(int) (time.Duration, error) { return a.empty.run(ctx) }, store, embed)
	if err != nil {
		return nil, err
	}
	rest := make(durations, len(each[1]))
	for i := range rest {
		rest[i] = each[1][i] - each[2][i]
	}
	rows := besideEmpty("store but for the embedding", rest, each[0], 2, 0)
	return append(rows, plainRow("the same with the embedding", each[1]), plainRow("of it: embedding the text", each[2])), nil
}
