package extract_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

var update = flag.Bool("update", false, "write testdata/golden.json")

var verbose = flag.Bool("each", false, "log each candidate of the scenarios")

// label is what a person would want remembered of a session.
type label struct {
	Type     string   `json:"type"`
	Words    []string `json:"words"`
	Optional bool     `json:"optional"` // right, but nobody would miss it
	Missed   bool     `json:"missed"`   // known not to be found: counts, and fails when that changes
}

func (l label) fits(c extract.Candidate) bool {
	text := strings.ToLower(c.Text)
	return l.Type == c.Type && !slices.ContainsFunc(l.Words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
}

func labels(t *testing.T) map[string][]label {
	t.Helper()
	out := make(map[string][]label)
	readJSON(t, "testdata/labels.json", &out)
	return out
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func sessionFile(name string) string { return filepath.Join("testdata", name+".jsonl") }

func readSession(t testing.TB, path string) []transcript.Event {
	t.Helper()
	b, err := transcript.Read(t.Context(), path, transcript.Checkpoint{}, transcript.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	if b.Skipped > 0 || b.More {
		t.Fatalf("%s: %d lines skipped, more %v", path, b.Skipped, b.More)
	}
	return b.Events
}

func names[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Every recorded session gives what its labels want and nothing else.
func TestRulesHoldToTheLabels(t *testing.T) {
	t.Parallel()
	all := labels(t)
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) != len(all) {
		t.Fatalf("%d sessions and %d labels, %v", len(files), len(all), err)
	}
	var right, wrong, wanted, got, negatives int
	for _, name := range names(all) {
		want := all[name]
		candidates := extract.Rules(readSession(t, sessionFile(name)), extract.Options{})
		if len(want) == 0 {
			negatives++
		}
		met := make([]bool, len(want))
		for _, c := range candidates {
			i := slices.IndexFunc(want, func(l label) bool { return l.fits(c) })
			if i < 0 {
				wrong++
				t.Errorf("%s: unwanted %s (%s): %s", name, c.Type, c.Rule, c.Text)
				continue
			}
			right++
			met[i] = true
		}
		for i, l := range want {
			if l.Optional {
				continue
			}
			wanted++
			if met[i] {
				got++
			}
			if met[i] == l.Missed {
				t.Errorf("%s: found %v: %s %q", name, met[i], l.Type, l.Words)
			}
		}
	}
	t.Logf("%d sessions, %d of them without anything to remember: precision %d/%d, recall %d/%d", len(all), negatives, right, right+wrong, got, wanted)
}

// What the rules find, to the letter.
func TestRulesGolden(t *testing.T) {
	t.Parallel()
	got := make(map[string][]extract.Candidate)
	for name := range labels(t) {
		list := extract.Rules(readSession(t, sessionFile(name)), extract.Options{})
		for i := range list {
			list[i].Score = math.Round(list[i].Score*100) / 100
			list[i].Importance = math.Round(list[i].Importance*100) / 100
		}
		got[name] = list
	}
	data, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	if *update {
		if err := os.WriteFile("testdata/golden.json", data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(data) {
		t.Errorf("testdata/golden.json is not what the rules find; after a look at the difference: go test ./internal/extract -run Golden -update\n%s", firstDifference(string(want), string(data)))
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, x[i], y[i])
		}
	}
	return "one is longer"
}

// A sweep after every turn, and one at the end, finds what one look at the
// whole session finds, and nothing twice.
func TestStepsFindEachFactOnce(t *testing.T) {
	t.Parallel()
	for name := range labels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(sessionFile(name))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "session.jsonl")
			var found []extract.Candidate
			var at transcript.Checkpoint
			sweep := func(size int, whole bool) {
				if err := os.WriteFile(path, data[:size], 0o600); err != nil {
					t.Fatal(err)
				}
				b, err := transcript.Read(t.Context(), path, at, transcript.Options{Whole: whole})
				if err != nil || b.Lost {
					t.Fatalf("lost %v, %v", b.Lost, err)
				}
				found = append(found, extract.Rules(b.Events, extract.Options{})...)
				at = b.Next
			}
			for i, c := range data {
				if c == '\n' && i%5 == 0 { // also in the middle of turns, and of a line's flush
					sweep(min(i+40, len(data)), false)
				}
			}
			sweep(len(data), true)
			sweep(len(data), true)
			got, want := texts(found), texts(extract.Rules(readSession(t, sessionFile(name)), extract.Options{}))
			if !slices.Equal(got, want) {
				t.Errorf("in steps:\n%s\nat once:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// Sweeps that also take the open turn, at any point of a session, never give
// the same twice, though they may see less around a fact.
func TestWholeStepsRepeatNothing(t *testing.T) {
	t.Parallel()
	for name := range labels(t) {
		data, err := os.ReadFile(sessionFile(name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "session.jsonl")
		var at transcript.Checkpoint
		seen := make(map[string]bool)
		for i, c := range data {
			if c != '\n' || i%4 != 0 && i != len(data)-1 {
				continue
			}
			if err := os.WriteFile(path, data[:i+1], 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := transcript.Read(t.Context(), path, at, transcript.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			at = b.Next
			for _, c := range extract.Rules(b.Events, extract.Options{}) {
				if seen[c.Text] {
					t.Errorf("%s: twice: %s", name, c.Text)
				}
				seen[c.Text] = true
			}
		}
	}
}

func texts(list []extract.Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Text)
	}
	slices.Sort(out)
	return out
}

// Every candidate can be stored as it is, and cites lines of its session.
func TestCandidatesAreComplete(t *testing.T) {
	t.Parallel()
	for name := range labels(t) {
		events := readSession(t, sessionFile(name))
		for _, c := range extract.Rules(events, extract.Options{}) {
			in, err := c.StoreInput("shop", "session").Clean()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if in.Collection != memory.ShortTerm || in.Source != memory.SourceHook || in.CreatedAt == nil || len(c.Text) > extract.MaxTextBytes || c.Rule == "" {
				t.Errorf("%s: %+v", name, in)
			}
			for _, u := range c.UUIDs {
				if !slices.ContainsFunc(events, func(e transcript.Event) bool { return e.UUID == u }) {
					t.Errorf("%s: no line %s", name, u)
				}
			}
			if len(c.UUIDs) == 0 {
				t.Errorf("%s: cites nothing: %s", name, c.Text)
			}
		}
	}
}

func TestLimitAndKnown(t *testing.T) {
	t.Parallel()
	events := readSession(t, sessionFile("always-gofumpt"))
	if got := extract.Rules(events, extract.Options{Limit: 1}); len(got) != 1 || !strings.Contains(got[0].Text, "imperative") {
		t.Errorf("the best one, got %+v", got)
	}
	if got := extract.Rules(events, extract.Options{Limit: -1}); len(got) != 0 {
		t.Errorf("none, got %+v", got)
	}
	known := []string{"- always run gofumpt (not gofmt) before each commit"}
	if got := extract.Rules(events, extract.Options{Known: known}); len(got) != 1 || strings.Contains(got[0].Text, "gofumpt") {
		t.Errorf("what was injected came again: %+v", got)
	}
	if got := extract.Rules(events, extract.Options{MinScore: 1.1}); len(got) != 0 {
		t.Errorf("none scores above 1, got %+v", got)
	}
}

func BenchmarkRules(b *testing.B) {
	events := readSession(b, sessionFile("compaction-middle"))
	b.ReportAllocs()
	for b.Loop() {
		extract.Rules(events, extract.Options{})
	}
}
