package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/memory"
)

// How often each event is measured.
const (
	hookRounds       = 40
	hookRoundsLoaded = 20
	autostartRounds  = 5
)

// The most that 95 of 100 hooks may take, from the start of the process to its
// end. With the daemon the embedding comes on top.
const (
	hookWarm = 100 * time.Millisecond
	hookDown = 50 * time.Millisecond
)

// unknownEvent is answered by nobody: the figure is the cost of the process
// itself.
const unknownEvent = "Unknown"

// hookBench calls mneme-hook as Claude Code does.
type hookBench struct {
	env    *Env
	binary string
	repo   string // that Claude Code was started in
	calls  int    // names sessions
	cases  []hookCase
}

// runHooks measures the hook process with a daemon that holds 10,000 memories,
// without one, and beside as many busy processes as there are cores.
func runHooks(ctx context.Context, env *Env) ([]Row, error) {
	a, err := env.asker(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	b, err := newHookBench(ctx, env)
	if err != nil {
		return nil, err
	}
	if err := b.learn(ctx, a); err != nil {
		return nil, err
	}
	never := filepath.Join(env.Dir, "hooks-never")
	stale, err := b.staleHome(ctx)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, part := range []hookPart{
		{what: "warm", home: a.daemon.home, embedder: a.daemon, most: hookWarm, rounds: hookRounds},
		{what: "never started", home: never, most: hookDown, rounds: hookRounds},
		{what: "stopped, its state left", home: stale, most: hookDown, rounds: hookRounds},
		{what: "warm, machine busy", home: a.daemon.home, embedder: a.daemon, rounds: hookRoundsLoaded, busy: runtime.NumCPU()},
		{what: "never started, machine busy", home: never, rounds: hookRoundsLoaded, busy: runtime.NumCPU()},
	} {
		env.say("hooks: %s, %d rounds", part.what, part.rounds)
		more, err := b.measure(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.what, err)
		}
		rows = append(rows, more...)
	}
	more, err := b.autostart(ctx, stale)
	return append(rows, more...), err
}

func newHookBench(ctx context.Context, env *Env) (*hookBench, error) {
	b := &hookBench{env: env, binary: filepath.Join(env.Dir, "bin", "mneme-hook"), repo: filepath.Join(env.Dir, "hooks-repo")}
	// Built here, because a binary that lies beside the other may be of another day.
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", b.binary, "github.com/mneme-memory/mneme/cmd/mneme-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build mneme-hook: %w\n%s", err, out)
	}
	known, err := knownFacts(400)
	if err != nil {
		return nil, err
	}
	b.cases = hookCases(filepath.Join(env.Dir, "hooks-transcripts"), known)
	if err := os.MkdirAll(filepath.Join(env.Dir, "hooks-transcripts"), 0o700); err != nil {
		return nil, fmt.Errorf("make folder of transcripts: %w", err)
	}
	return b, writeRepository(ctx, b.repo, known[0])
}

// learn stores what the failing command is to bring back.
func (b *hookBench) learn(ctx context.Context, a *asker) error {
	_, err := a.mneme.Store(ctx, memory.StoreInput{
		Text: learnedFix, Type: memory.TypeLearning, Tags: []string{"error"}, Project: project, Source: memory.SourceTool,
	})
	return err
}

// staleHome is the home of a daemon that ran and is gone, with the file that
// says where it listens.
func (b *hookBench) staleHome(ctx context.Context) (string, error) {
	d, err := b.env.start(ctx, "hooks-stale")
	if err != nil {
		return "", err
	}
	state, err := os.ReadFile(homestate.Path(d.home))
	if err != nil {
		return "", fmt.Errorf("read the daemon's state: %w", err)
	}
	if err := d.stop(); err != nil {
		return "", err
	}
	if err := os.WriteFile(homestate.Path(d.home), state, 0o600); err != nil {
		return "", fmt.Errorf("leave the daemon's state: %w", err)
	}
	return d.home, nil
}

// hookPart is one state of the machine in which the events are measured.
type hookPart struct {
	what     string
	home     string
	embedder *loaded       // nil while no daemon runs
	most     time.Duration // for the 95th of 100; zero for no budget
	rounds   int
	busy     int // processes that do nothing but compute

	unanswered int // hooks that gave up on the daemon
}

// measure calls every event in turns with one that nobody answers.
func (b *hookBench) measure(ctx context.Context, part hookPart) (rows []Row, err error) {
	stop, err := b.busy(ctx, part.busy)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	functions := []func(int) (time.Duration, error){func(int) (time.Duration, error) {
		took, _, err := b.call(ctx, part.home, unknownEvent, map[string]any{})
		return took, err
	}}
	for _, c := range b.cases {
		functions = append(functions, func(round int) (time.Duration, error) { return b.one(ctx, &part, c, round) })
	}
	if part.embedder != nil {
		embed, err := b.embedding(ctx, part.embedder)
		if err != nil {
			return nil, err
		}
		functions = append(functions, embed)
	}
	each, err := inTurns(ctx, part.rounds, betweenCalls, functions...)
	if err != nil {
		return nil, err
	}
	return b.rows(part, each), nil
}

func (b *hookBench) rows(part hookPart, each []durations) []Row {
	process := each[0]
	rows := []Row{plainRow(part.what+": an event that nobody answers", process)}
	most, label := part.most, "p95 ≤ "+ms(part.most)
	if part.embedder != nil {
		embedding := each[len(each)-1]
		most += embedding.p50()
		label += " + embedding"
		rows = append(rows, plainRow(part.what+": embedding one question", embedding))
	}
	for i, c := range b.cases {
		d := each[i+1]
		r := plainRow(part.what+": "+c.name, d)
		r.Beside, r.Ratio = "nobody's event p50 "+ms(process.p50()), float64(d.p50())/float64(process.p50())
		if part.most > 0 {
			r.Budget, r.Met = label, verdict(d.p95() <= most)
		}
		rows = append(rows, r)
	}
	if part.embedder != nil {
		rows = append(rows, Row{
			What: part.what + ": hooks that gave up on the daemon", Measured: fmt.Sprint(part.unanswered),
			Budget: "0", Met: verdict(part.unanswered == 0), N: len(b.cases) * (part.rounds + warmUp),
		})
	}
	return rows
}

// embedding embeds one question as the worker does.
func (b *hookBench) embedding(ctx context.Context, d *loaded) (func(int) (time.Duration, error), error) {
	embedder, err := d.embedder()
	if err != nil {
		return nil, err
	}
	questions := newCorpus(4)
	return func(int) (time.Duration, error) {
		text := questions.question()
		return timed(func() error {
			_, err := embedder.Embed(ctx, ollama.Query, []string{text})
			return err
		})
	}, nil
}

// one measures one event, and checks that the hook did its work: a figure of a
// hook that gave up at once would be a good one.
func (b *hookBench) one(ctx context.Context, part *hookPart, c hookCase, round int) (time.Duration, error) {
	b.calls++
	session := fmt.Sprintf("bench-%d", b.calls)
	fields, err := c.fields(session, round)
	if err != nil {
		return 0, err
	}
	fields["session_id"] = session
	took, out, err := b.call(ctx, part.home, c.event, fields)
	if err != nil {
		return 0, err
	}
	lines, err := hooklog.Read(part.home, session, 0)
	if err != nil {
		return 0, err
	}
	var line hooklog.Entry
	if len(lines) > 0 {
		line = lines[len(lines)-1]
	}
	switch {
	case line.Outcome == hooklog.Failed:
		err = fmt.Errorf("the hook failed: %s", line.Detail)
	case part.embedder == nil && out != "":
		err = fmt.Errorf("answered %q without a daemon", out)
	case part.embedder != nil && (line.Outcome == hooklog.Down || line.Outcome == hooklog.Late):
		part.unanswered++
	case !c.did(part.embedder != nil, out, line):
		err = fmt.Errorf("answered %q and logged %+v", out, line)
	}
	if err != nil {
		return 0, fmt.Errorf("%s, round %d: %w", c.name, round, err)
	}
	return took, nil
}

// call runs the hook from its start to its end.
func (b *hookBench) call(ctx context.Context, home, event string, fields map[string]any, env ...string) (time.Duration, string, error) {
	// A hook that waited in vain makes the next ones not even try.
	if err := os.Remove(filepath.Join(home, "sessions", ".waited")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, "", fmt.Errorf("forget that a hook waited: %w", err)
	}
	cmd, err := b.command(ctx, home, event, fields, env...)
	if err != nil {
		return 0, "", err
	}
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if err != nil {
		return 0, "", fmt.Errorf("mneme-hook %s: %w", event, err)
	}
	return took, string(out), nil
}
