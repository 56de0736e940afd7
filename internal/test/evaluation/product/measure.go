package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/memory"
)

// depth is how many results are asked for.
const depth = 10

// floors are what Recall@10 without a bar must reach: below, something is
// broken. They are what fusing two lists in one Qdrant call gives.
func floors() map[string]float64 { return map[string]float64{"locomo": .64, "nl2bash": .79} }

// machine is the mneme that is measured.
type machine struct {
	program string
	cfg     config.Config
	env     []string
}

// measure starts, imports, asks, prints, and stops again. The settings are
// variables of mneme's environment that say which model to use.
func measure(ctx context.Context, program string, model map[string]string, corpora []*dataset) (err error) {
	home, err := os.MkdirTemp("", "mneme-eval-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	m, err := newMachine(program, home, model)
	if err != nil {
		return err
	}
	// Stopping has to happen after an interrupt too.
	defer func() { err = errors.Join(err, m.run(context.WithoutCancel(ctx), "down")) }()
	if err := m.run(ctx, "up", "--detach"); err != nil {
		return err
	}
	for _, c := range corpora {
		if err := m.run(ctx, "import", c.file); err != nil {
			return err
		}
	}
	return m.ask(ctx, corpora)
}

func newMachine(program, home string, model map[string]string) (*machine, error) {
	path, err := filepath.Abs(program)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", program, err)
	}
	settings := map[string]string{"MNEME_HOME": filepath.Join(home, "data"), "MNEME_UI_PORT": "0", "MNEME_QDRANT_BINARY": "none"}
	maps.Copy(settings, model)
	cfg, err := config.Load(config.Sources{Env: func(name string) string { return settings[name] }})
	if err != nil {
		return nil, err
	}
	m := &machine{program: path, cfg: cfg, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir()}}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		m.env = append(m.env, name+"="+settings[name])
	}
	return m, nil
}

// run runs one command to its end.
func (m *machine) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, m.program, args...)
	cmd.Env = m.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("mneme %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// ask prints a row for each set and bar, and fails when a floor is missed.
func (m *machine) ask(ctx context.Context, corpora []*dataset) error {
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		return err
	}
	client, err := dial.Open(ctx, m.cfg, redactor)
	if err != nil {
		return err
	}
	defer client.Close()
	stats, err := client.Stats(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("Model %s, %d memories. Every recall counts what it finds, as always: later ones see the confidence that earlier ones gave.\n\n", stats.Model, total(stats.Live))
	fmt.Printf("| set | questions | min_score | Recall@%d | p50 ms | p95 ms |\n| --- | ---: | ---: | ---: | ---: | ---: |\n", depth)
	var missed []error
	for _, bar := range []float64{0, memory.StrongAbove} {
		for _, c := range corpora {
			r, err := c.ask(ctx, client, bar)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d of %d | %.1f | %.3f | %.1f | %.1f |\n", c.name, len(c.questions), c.all, bar, r.recall, r.at(.5), r.at(.95))
			if floor := floors()[c.name]; bar == 0 && len(c.questions) == c.all && r.recall < floor {
				missed = append(missed, fmt.Errorf("%s: Recall@%d is %.3f, at least %.2f is expected", c.name, depth, r.recall, floor))
			}
		}
	}
	return errors.Join(missed...)
}

func total(live map[string]int) int {
	n := 0
	for _, count := range live {
		n += count
	}
	return n
}

// recaller is what is measured.
type recaller interface {
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
}

// result is what asking all questions of a set gave.
type result struct {
	recall float64         // mean share of the relevant that was found
	took   []time.Duration // sorted
}

// at returns the time in milliseconds within which that share was answered.
func (r result) at(share float64) float64 {
	if len(r.took) == 0 {
		return 0
	}
	return float64(r.took[int(share*float64(len(r.took)-1))].Microseconds()) / 1000
}

// ask asks all questions one after the other.
func (c *dataset) ask(ctx context.Context, client recaller, bar float64) (result, error) {
	var r result
	for _, q := range c.questions {
		query := memory.Query{Text: q.Query, Project: q.Project, Limit: depth, MinScore: &bar, Source: "evaluation"}
		for id := range c.idsOf(q.Project, q.Exclude) {
			query.Exclude = append(query.Exclude, id)
		}
		start := time.Now()
		answer, err := client.Recall(ctx, query)
		if err != nil {
			return r, fmt.Errorf("ask %q: %w", q.Query, err)
		}
		r.took = append(r.took, time.Since(start))
		if answer.Degraded != "" {
			return r, fmt.Errorf("ask %q: %s", q.Query, answer.Degraded)
		}
		relevant := c.idsOf(q.Project, q.Relevant)
		if len(relevant) == 0 {
			return r, fmt.Errorf("ask %q: nothing relevant is in the set", q.Query)
		}
		found := 0
		for _, h := range answer.Hits {
			if relevant[h.ID] {
				found++
			}
		}
		r.recall += float64(found) / float64(len(relevant)) / float64(len(c.questions))
	}
	slices.Sort(r.took)
	return r, nil
}
