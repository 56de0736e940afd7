package activities

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/memory"
)

// shelf finds those of its texts that have the word asked for.
type shelf struct {
	Index
	texts    []string
	searched []memory.Search
}

func (s *shelf) Search(_ context.Context, in memory.Search) ([]memory.Candidate, error) {
	s.searched = append(s.searched, in)
	var out []memory.Candidate
	for _, text := range s.texts {
		if strings.Contains(text, in.Text) && !slices.Contains(in.Exclude, text) {
			out = append(out, memory.Candidate{Memory: memory.Memory{ID: text, Text: text}, Cosine: 1, HasCosine: true})
		}
	}
	return out, nil
}

// flat gives every text the same vector, or fails.
type flat struct {
	Embedder
	err error
}

func (f flat) Model() string { return "m" }

func (f flat) Embed(_ context.Context, _ memory.Purpose, texts []string) ([]memory.Vector, error) {
	return slices.Repeat([]memory.Vector{{1, 0}}, len(texts)), f.err
}

// blind sees no secrets.
type blind struct{}

func (blind) Redact(text string) (string, []string) { return text, nil }

func TestRecallAsksInTurn(t *testing.T) {
	t.Parallel()
	texts := []string{"red fox", "red hen", "blue fox", "blue hen"}
	for name, tc := range map[string]struct {
		limit int
		then  []string
		down  error
		want  []string
		asked int // how many questions were searched for
	}{
		"one question":           {3, nil, nil, []string{"red fox", "red hen"}, 1},
		"a second":               {5, []string{"fox"}, nil, []string{"red fox", "red hen", "blue fox"}, 2},
		"nothing new":            {5, []string{"red"}, nil, []string{"red fox", "red hen"}, 2},
		"room for one":           {3, []string{"blue"}, nil, []string{"red fox", "red hen", "blue fox"}, 2},
		"no room":                {2, []string{"blue"}, nil, []string{"red fox", "red hen"}, 1},
		"the first finds enough": {1, []string{"blue", "hen"}, nil, []string{"red fox"}, 1},
		"without a model":        {5, []string{"blue"}, memory.Down("m", "", context.DeadlineExceeded), texts, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			index := &shelf{texts: texts}
			a := &Activities{
				Index: index, Embedder: flat{err: tc.down}, Redactor: blind{}, Now: time.Now,
				Ledger: &counted{stats: memory.Stats{Model: "m", Dimension: 2}},
			}
			all := 0.0
			got, err := a.Recall(t.Context(), memory.Query{Text: "red", Then: tc.then, Limit: tc.limit, MinScore: &all})
			if err != nil {
				t.Fatal(err)
			}
			ids := make([]string, len(got.Hits))
			for i, h := range got.Hits {
				ids[i] = h.ID
			}
			if diff := cmp.Diff(tc.want, ids); diff != "" {
				t.Error(diff)
			}
			if len(index.searched) != tc.asked {
				t.Errorf("%d questions were searched for, want %d", len(index.searched), tc.asked)
			}
			if (got.Degraded == "") != (tc.down == nil) {
				t.Errorf("says %q", got.Degraded)
			}
		})
	}
}
