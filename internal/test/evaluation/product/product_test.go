package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// answers is a recaller that finds the same for every question.
type answers struct {
	ids []string
	got []memory.Query
}

func (a *answers) Recall(_ context.Context, q memory.Query) (memory.RecallResult, error) {
	a.got = append(a.got, q)
	var r memory.RecallResult
	for _, id := range a.ids {
		r.Hits = append(r.Hits, memory.Hit{ID: id})
	}
	return r, nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAskCountsWhatWasFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "memories.jsonl"), `{"id":"a","project":"p","text":"one"}
{"id":"b","project":"p","text":"two"}
{"id":"b2","project":"p","text":"two"}
{"id":"c","project":"p","text":"mail bob.smith@mail-host.com about three"}
`)
	write(t, filepath.Join(dir, "queries.jsonl"), `{"project":"p","query":"q1","relevant":["a","b"],"exclude":["c"]}
{"project":"p","query":"q2","relevant":["b","b2"]}
`)
	c, err := load(dir, "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	fake := &answers{ids: []string{"other", memory.NewID("p", memory.Memories, "two")}}
	r, err := c.ask(t.Context(), fake, .5)
	// Half of the first question, and all of the second, whose texts are one.
	if err != nil || r.recall != .75 || len(r.took) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	redacted := memory.NewID("p", memory.Memories, "mail [redacted:email] about three")
	if q := fake.got[0]; *q.MinScore != .5 || q.Limit != depth || q.Project != "p" || !slices.Equal(q.Exclude, []string{redacted}) {
		t.Errorf("asked %+v, want %s excluded", q, redacted)
	}
}

func TestSpreadAndPercentiles(t *testing.T) {
	t.Parallel()
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	if got := spread(list, 3); !slices.Equal(got, []int{0, 3, 6}) {
		t.Errorf("spread %v", got)
	}
	if got := spread(list, 0); len(got) != 10 {
		t.Errorf("spread %v", got)
	}
	r := result{took: []time.Duration{time.Millisecond, 2 * time.Millisecond, 9 * time.Millisecond}}
	if r.at(.5) != 2 || r.at(1) != 9 || (result{}).at(.5) != 0 {
		t.Errorf("%v %v", r.at(.5), r.at(1))
	}
}
