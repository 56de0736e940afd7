package main

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/internal/cli"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// checks are the questions that "mneme doctor" asks of the whole: each goes
// through Temporal and a worker to the part it is about.
func checks(cfg config.Config) []cli.Check {
	return []cli.Check{
		{Name: "ledger", Run: func(ctx context.Context) (string, error) { return ledgerCheck(ctx, cfg) }},
		{Name: "recall", Run: func(ctx context.Context) (string, error) { return recallCheck(ctx, cfg) }},
	}
}

func ledgerCheck(ctx context.Context, cfg config.Config) (string, error) {
	c, err := connect(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Stats(ctx)
	if err != nil {
		return "", err
	}
	live := 0
	for _, n := range s.Live {
		live += n
	}
	detail := fmt.Sprintf("%d live memories in %d projects, model %s (%d)", live, s.Projects, s.Model, s.Dimension)
	if s.Unindexed > 0 {
		return detail, cli.Warning{Err: fmt.Errorf("%d changes are not in the index yet; \"mneme rebuild\" writes them", s.Unindexed)}
	}
	return detail, nil
}

func recallCheck(ctx context.Context, cfg config.Config) (string, error) {
	c, err := connect(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer c.Close()
	r, err := c.Recall(ctx, memory.Query{Text: "mneme doctor", Limit: 1, Source: "doctor"})
	if err != nil {
		return "", err
	}
	if r.Degraded != "" {
		return "", cli.Warning{Err: fmt.Errorf("%s", r.Degraded)}
	}
	return fmt.Sprintf("answered in %.1f ms", r.TookMillis["embed"]+r.TookMillis["search"]+r.TookMillis["rank"]), nil
}
