package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// One memory in copyEvery repeats the one before it, in other words.
const copyEvery = 10

// largeVariable, when it is set, has 100,000 memories organized as well, which
// takes some minutes.
const largeVariable = "MNEME_BENCH_LARGE"

// organizeSize is one number of memories and what tidying them up may cost.
type organizeSize struct {
	memories int
	most     time.Duration
	peak     int64 // bytes resident; zero for no budget
}

// runOrganize tidies up memories of which some say the same as others.
func runOrganize(ctx context.Context, env *Env) ([]Row, error) {
	sizes := []organizeSize{{memories: 10_000, most: 10 * time.Second}}
	if os.Getenv(largeVariable) != "" {
		sizes = append(sizes, organizeSize{memories: 100_000, most: 5 * time.Minute, peak: 3 << 29})
	}
	var rows []Row
	for _, size := range sizes {
		more, err := organizeOf(ctx, env, size)
		if err != nil {
			return nil, fmt.Errorf("%d memories: %w", size.memories, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// organizeOf fills a daemon of its own, starts it anew, so that its peak is not
// that of the import, and tidies up: for show, in earnest, and once more.
func organizeOf(ctx context.Context, env *Env, size organizeSize) ([]Row, error) {
	name := fmt.Sprintf("organize-%d", size.memories)
	file := filepath.Join(env.Dir, name+".jsonl")
	planted, err := writePlanted(file, size.memories)
	if err != nil {
		return nil, err
	}
	d, err := env.start(ctx, name)
	if err != nil {
		return nil, err
	}
	env.say("importing %d memories, %d of them repetitions", size.memories, planted)
	imported, err := timed(func() error { return env.mneme(ctx, d.home, "import", file) })
	if err != nil {
		return nil, err
	}
	if err := d.stop(); err != nil {
		return nil, err
	}
	if d, err = env.start(ctx, name); err != nil {
		return nil, err
	}
	before := peak(d.cmd.Process.Pid)
	env.say("organizing %d memories", size.memories)
	var runs []organized
	for _, args := range [][]string{{"--dry-run"}, nil, nil} {
		run, err := env.organize(ctx, d.home, args...)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	rows := organizeRows(size, planted, imported, runs)
	after := peak(d.cmd.Process.Pid)
	if after > 0 {
		row := Row{
			What: fmt.Sprintf("most memory of the daemon, %d memories", size.memories), Measured: megabytes(after),
			Beside: "when it was ready " + megabytes(before), Ratio: float64(after) / float64(before),
		}
		if size.peak > 0 {
			row.Budget, row.Met = "< "+megabytes(size.peak), verdict(after < size.peak)
		}
		rows = append(rows, row)
	}
	return rows, d.stop()
}

// organizeRows are those of a dry run, a run and a second one.
func organizeRows(size organizeSize, planted int, imported time.Duration, runs []organized) []Row {
	label := fmt.Sprintf("mneme organize of %d memories", size.memories)
	beside := "their import " + ms(imported)
	timeRow := func(what string, o organized, most time.Duration) Row {
		r := Row{What: what, Measured: ms(o.took), Beside: beside, Ratio: o.took.Seconds() / imported.Seconds(), N: 1}
		if most > 0 {
			r.Budget, r.Met = "< "+most.String(), verdict(o.took < most)
		}
		return r
	}
	countRow := func(what string, got, want int) Row {
		return Row{What: what, Measured: fmt.Sprint(got), Budget: fmt.Sprint(want), Met: verdict(got == want), N: size.memories}
	}
	return []Row{
		timeRow(label+", dry run", runs[0], size.most),
		countRow("of them it would merge", runs[0].merged, planted),
		timeRow(label, runs[1], size.most),
		countRow("looked at", runs[1].scanned, size.memories),
		countRow("merged", runs[1].merged, planted),
		timeRow("the same again", runs[2], 0),
		countRow("merged then", runs[2].merged, 0),
		countRow("looked at then", runs[2].scanned, size.memories-planted),
	}
}

// organized is what one run of the command told.
type organized struct {
	took            time.Duration // of the whole command
	scanned, merged int
}

func (e *Env) organize(ctx context.Context, home string, args ...string) (organized, error) {
	var o organized
	var stdout, stderr bytes.Buffer
	cmd := e.command(ctx, home, append([]string{"organize", "--json"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var err error
	if o.took, err = timed(cmd.Run); err != nil {
		return o, fmt.Errorf("mneme organize: %w\n%s", err, &stderr)
	}
	var report memory.OrganizeReport
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		return o, fmt.Errorf("read the report of mneme organize: %w", err)
	}
	for _, c := range report.Collections {
		o.scanned += c.Scanned
		o.merged += c.Merged
	}
	return o, nil
}

// writePlanted writes n memories for "mneme import", and returns how many of
// them repeat the one before in slightly other words.
func writePlanted(path string, n int) (planted int, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, fmt.Errorf("write corpus: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c := newCorpus(7)
	encoder := json.NewEncoder(f)
	text := ""
	for i := range n {
		if i%copyEvery == copyEvery-1 {
			text = reworded(text)
			planted++
		} else {
			text = c.sentence(i)
		}
		if err := encoder.Encode(map[string]any{"text": text, "project": project, "type": memory.TypeFact}); err != nil {
			return planted, fmt.Errorf("write corpus: %w", err)
		}
	}
	return planted, nil
}

// reworded says the same without small words.
func reworded(sentence string) string {
	small := strings.NewReplacer("The ", "", "the ", "", " that ", " ", " is ", " ")
	return strings.TrimSuffix(small.Replace(sentence), ".")
}

// peak is the most memory that a process has had since its start, in bytes; 0
// where there is no /proc to tell.
func peak(pid int) int64 {
	for line := range strings.Lines(text(fmt.Sprintf("/proc/%d/status", pid))) {
		var kb int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	return 0
}
