package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// A bar is what a figure of the scenarios must reach.
type bar struct {
	part, figure string
	most         bool // the figure may be at most this, instead of at least
	value        float64
}

// bars are the lines that the scenarios are held to, in the order in which they are printed.
func bars() []bar {
	return []bar{
		{"start", "recall of must", false, .85},
		{"start", "junk among shown", true, .12},
		{"start", "tokens shown", true, 600},
		{"transcripts", "recall of must", false, .65},
		{"transcripts", "precision", false, .92},
		{"transcripts", "never violated", true, 0},
		{"transcripts", "recall of must, de", false, .5},
		{"transcripts", "recall of must, es", false, .5},
		{"questions", "hit@1 by default", false, .65},
		{"questions", "hit@3 by default", false, .80},
		{"questions", "hit@5 by default", false, .90},
		{"questions", "strong when the first is right", false, .78},
		{"questions", "right when the first is strong", false, .85},
		{"questions", "strong for none", true, .15},
		{"errors", "shown when expected", false, .92},
		{"errors", "shown when null", true, .05},
		{"pairs", "right, same, trivial", false, 1},
		{"pairs", "right, same, near", false, .85},
		{"pairs", "right, different", false, .98},
		{"pairs", "right, replaces", false, .90},
	}
}

// played is what the runner of the scenarios writes.
type played struct {
	Parts map[string]playedPart `json:"parts"`
}

type playedPart struct {
	Figures   map[string]figure    `json:"figures"`
	Scenarios map[string][]learned `json:"scenarios"`
}

// figure is a value with its 95 % interval; nil where there is none.
type figure struct{ Value, Low, High *float64 }

// learned counts the facts of one session that mneme must keep as memories, and how many of them it
// found and kept.
type learned struct {
	Must  float64 `json:"must"`
	Found float64 `json:"found"`
}

// scenarioRun says what to play.
type scenarioRun struct {
	folder, bin   string // of the runner, of the programs
	data          string // the scenarios to play
	parts         string // "" for all
	model, ollama string
}

// playScenarios has the runner in a folder play the scenarios beside it through the programs in
// bin, and prints each figure beside its bar.
func playScenarios(ctx context.Context, w io.Writer, r scenarioRun) (err error) {
	r.data = cmp.Or(r.data, r.folder)
	runner := filepath.Join(r.folder, "run.py")
	if _, err := os.Stat(runner); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "skipped: there are no scenarios at %s\nset MNEME_SHARED to the folder that holds scenarios, or give -scenarios\n", r.folder)
		return nil
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		fmt.Fprintln(w, "skipped: the scenarios are played by a program in Python: install python3")
		return nil
	}
	for _, program := range []string{"mneme", "mneme-hook", "mneme-mcp"} {
		if _, err := os.Stat(filepath.Join(r.bin, program)); err != nil {
			return fmt.Errorf("find the programs to measure, which make build makes: %w", err)
		}
	}
	out, err := os.CreateTemp("", "mneme-scenarios-*.json")
	if err != nil {
		return fmt.Errorf("make a file: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close(), os.Remove(out.Name())) }()
	args := []string{runner, "--bin", r.bin, "--data", r.data, "--json", out.Name()}
	if r.parts != "" {
		args = append(args, "--only", r.parts)
	}
	cmd := exec.CommandContext(ctx, python, args...)
	cmd.Env = append(os.Environ(), "MNEME_EMBED_MODEL="+r.model, "MNEME_OLLAMA_URL="+r.ollama)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	// On SIGTERM the runner stops its mneme and removes its folders before it exits.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	playErr := cmd.Run() // 1 also when single scenarios could not be played: the others count
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var p played
	if err := json.NewDecoder(out).Decode(&p); err != nil {
		return errors.Join(playErr, fmt.Errorf("read what the scenarios gave: %w", err))
	}
	p.addLanguages(r.data)
	return errors.Join(playErr, p.table(w))
}

// table prints the figures beside their bars, and names in its error those that are missed.
func (p played) table(w io.Writer) error {
	var missed []error
	fmt.Fprintf(w, "\n| part | figure | measured | 95 %% | bar | met |\n| --- | --- | ---: | --- | ---: | --- |\n")
	for _, b := range bars() {
		part, ok := p.Parts[b.part]
		f := part.Figures[b.figure]
		if !ok || f.Value == nil {
			continue
		}
		sign, met := "≥", *f.Value >= b.value
		if b.most {
			sign, met = "≤", *f.Value <= b.value
		}
		verdict := "yes"
		if !met {
			verdict = "no"
			missed = append(missed, fmt.Errorf("%s: %s is %s, and should be %s %s",
				b.part, b.figure, short(*f.Value), sign, short(b.value)))
		}
		interval := ""
		if f.Low != nil && f.High != nil {
			interval = short(*f.Low) + " to " + short(*f.High)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s %s | %s |\n", b.part, b.figure,
			short(*f.Value), interval, sign, short(b.value), verdict)
	}
	return errors.Join(missed...)
}

// short writes a share with two digits, and a count with none.
func short(v float64) string {
	if v > 1 {
		return fmt.Sprintf("%.0f", v)
	}
	return strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0")
}

// addLanguages adds what was learned of the sessions in each other language than English.
func (p played) addLanguages(folder string) {
	part, ok := p.Parts["transcripts"]
	if !ok {
		return
	}
	sums := map[string]learned{}
	for name, units := range part.Scenarios {
		language := languageOf(filepath.Join(folder, "transcripts", name+".jsonl"))
		if language == memory.English {
			continue
		}
		sum := sums[language]
		for _, u := range units {
			sum.Must, sum.Found = sum.Must+u.Must, sum.Found+u.Found
		}
		sums[language] = sum
	}
	for language, sum := range sums {
		if sum.Must > 0 {
			share := sum.Found / sum.Must
			part.Figures["recall of must, "+language] = figure{Value: &share}
		}
	}
}

// languageOf is the language of most words that a person says in a session.
func languageOf(transcript string) string {
	data, err := os.ReadFile(transcript)
	if err != nil {
		return memory.English
	}
	count, most := map[string]int{}, memory.English
	for line := range strings.Lines(string(data)) {
		var said struct {
			Type    string
			Message struct{ Content any }
		}
		if json.Unmarshal([]byte(line), &said) != nil || said.Type != "user" {
			continue
		}
		if text, ok := said.Message.Content.(string); ok {
			language := cmp.Or(memory.LanguageOf(text), memory.English)
			count[language] += len(text)
			if count[language] > count[most] {
				most = language
			}
		}
	}
	return most
}
