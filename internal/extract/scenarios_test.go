package extract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// rule is met by a text that all of its expressions match.
type rule struct {
	All  []string `json:"all"`
	Kind string   `json:"kind"`
}

func (r rule) fits(text string) bool {
	return !slices.ContainsFunc(r.All, func(expr string) bool { return !says(expr, text) })
}

func says(expr, text string) bool { return regexp.MustCompile("(?is)" + expr).MatchString(text) }

// expectation is what a person would want, and not want, to be learned of a session.
type expectation struct {
	Must     []rule   `json:"must"`
	Fine     []rule   `json:"fine"`
	Never    []string `json:"never"`
	Memories []struct {
		Text string `json:"text"`
	} `json:"memories"`
}

// tally counts over several sessions.
type tally struct {
	must, found, stored, good, broken int
	kinds                             map[string][2]int
}

func (n *tally) recall() float64    { return float64(n.found) / float64(max(1, n.must)) }
func (n *tally) precision() float64 { return float64(n.good) / float64(max(1, n.stored)) }

// played returns what sweeps after each turn, and one at the end, learn of a session.
func played(t *testing.T, path string, known []string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "session.jsonl")
	var out []string
	var at transcript.Checkpoint
	sweep := func(size int, whole bool) {
		if err := os.WriteFile(copied, data[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := transcript.Read(t.Context(), copied, at, transcript.Options{Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		at = b.Next
		for _, c := range extract.Rules(b.Events, extract.Options{Known: known}) {
			if *verbose {
				t.Logf("  %-10s %.2f %-30s %s", c.Type, c.Score, c.Rule, c.Text)
			}
			out = append(out, c.Text)
		}
	}
	size := 0
	for line := range bytes.Lines(data) {
		var l struct {
			Type    string `json:"type"`
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &l) == nil && l.Type == "user" && bytes.HasPrefix(l.Message.Content, []byte(`"`)) && size > 0 {
			sweep(size, false)
		}
		size += len(line)
	}
	sweep(size, false)
	sweep(size, true)
	return out
}

func (n *tally) count(t *testing.T, path string) {
	t.Helper()
	var want expectation
	readJSON(t, strings.TrimSuffix(path, ".jsonl")+".expect.json", &want)
	var known []string
	for _, m := range want.Memories {
		known = append(known, m.Text)
	}
	name := filepath.Base(path)
	got := played(t, path, known)
	bad := func(text string) bool {
		return slices.ContainsFunc(want.Never, func(expr string) bool {
			if regexp.MustCompile(`^[a-z]+$`).MatchString(expr) {
				expr = `\b` + expr + `\b` // "partido" is not in "repartidor"
			}
			return says(expr, text)
		})
	}
	for _, text := range got {
		n.stored++
		wanted := slices.ContainsFunc(slices.Concat(want.Must, want.Fine), func(r rule) bool { return r.fits(text) })
		switch {
		case bad(text):
			n.broken++
			t.Logf("%s: NEVER: %s", name, text)
		case wanted:
			n.good++
		default:
			t.Logf("%s: in vain: %s", name, text)
		}
	}
	for _, r := range want.Must {
		n.must++
		k := n.kinds[r.Kind]
		k[1]++
		if slices.ContainsFunc(got, func(text string) bool { return r.fits(text) && !bad(text) }) {
			n.found++
			k[0]++
		} else {
			t.Logf("%s: missed %s: %s", name, r.Kind, strings.Join(r.All, " + "))
		}
		n.kinds[r.Kind] = k
	}
}

// Sessions as people have them, in three languages, give most of what is worth
// keeping, and little else. The first set is ours; the second one is there on
// the machines where mneme is tuned.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"testdata": "testdata/scenarios",
		"open":     filepath.Join("..", "test", "evaluation", "testdata", "scenarios"),
		"shared":   filepath.Join("..", "..", "..", "shared", "scenarios"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := filepath.Glob(filepath.Join(dir, "transcripts", "*.jsonl"))
			if err != nil || len(files) == 0 {
				t.Skipf("no scenarios in %s: %v", dir, err)
			}
			n := tally{kinds: map[string][2]int{}}
			for _, f := range files {
				n.count(t, f)
			}
			t.Logf("%s: recall %d/%d %.2f, precision %d/%d %.2f, never %d, by kind %v", dir, n.found, n.must, n.recall(), n.good, n.stored, n.precision(), n.broken, n.kinds)
			if n.recall() < 0.65 || n.precision() < 0.92 || n.broken > 0 {
				t.Errorf("recall %.2f, at least 0.65 is wanted; precision %.2f, at least 0.92; %d texts that must never be kept", n.recall(), n.precision(), n.broken)
			}
		})
	}
}
