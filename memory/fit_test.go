package memory_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

// TestTogetherProperties: the order of descriptions and candidates does not matter, each
// memory comes once, in the order of scores, and none is below the bar or known already.
func TestTogetherProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyCandidates(t)
		cal := memory.CalibrationFor("mneme-static")
		q := memory.Query{Limit: rapid.IntRange(1, 12).Draw(t, "limit"), MinScore: barOf(rapid.SampledFrom([]float64{0, .3, .7}).Draw(t, "bar"))}
		ask := func(text string, c []memory.Candidate) []memory.Fit {
			q.Text = text
			return memory.Fits(q, cal, c, rankNow())
		}
		texts := []string{"retry the policy", "tabs.go", "deploy friday"}
		var fits [][]memory.Fit
		for _, text := range texts {
			fits = append(fits, ask(text, all))
		}
		var known []memory.Hit
		if len(all) > 0 && rapid.Bool().Draw(t, "known") {
			known = []memory.Hit{{ID: all[0].ID}}
		}
		got := memory.Together(q, fits, known)
		slices.Reverse(fits)
		if again := memory.Together(q, fits, known); !reflect.DeepEqual(ids(got), ids(again)) {
			t.Fatalf("the order of descriptions matters: %v, %v", ids(got), ids(again))
		}
		if len(got.Hits)+len(known) > max(q.Limit, len(known)) {
			t.Fatalf("%d hits beside %d that are known, limit %d", len(got.Hits), len(known), q.Limit)
		}
		seen := map[string]bool{}
		for i, h := range got.Hits {
			switch {
			case seen[h.ID] || len(known) > 0 && h.ID == known[0].ID:
				t.Fatalf("%s comes twice", h.ID)
			case h.Score < 0 || h.Score > 1 || *q.MinScore > 0 && h.Score <= *q.MinScore || h.Strong != (h.Score > memory.StrongAbove):
				t.Fatalf("hit %+v does not belong", h)
			case i > 0 && h.Score > got.Hits[i-1].Score:
				t.Fatalf("not in the order of scores: %v", got.Hits)
			}
			seen[h.ID] = true
		}
	})
}

func ids(r memory.RecallResult) []string {
	out := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		out[i] = h.ID
	}
	return out
}

// TestManyFit: where a question has one strong answer, work has all that stands out.
func TestManyFit(t *testing.T) {
	t.Parallel()
	candidates := []memory.Candidate{
		candidate("best", "Rollback goes back 8 frames at most; beyond that the game waits.", .8, 30),
		candidate("second", "To find a desync of the rollback: run both clients with --hashlog.", .5, 12),
	}
	for _, text := range []string{"The menu music is not final.", "The tutorial is skippable.", "Store pictures are PNG.", "Logs go to Loki.", "Plots use viridis.", "Tags are case-insensitive."} {
		candidates = append(candidates, candidate(text, text, .1, 0))
	}
	q := memory.Query{Text: "rollback desync after 300 frames", Limit: 5, MinScore: barOf(memory.StrongAbove)}
	cal := memory.CalibrationFor("mneme-static")
	if got := ids(memory.Rank(q, cal, candidates, rankNow())); !slices.Equal(got, []string{"best"}) {
		t.Errorf("answers are %v", got)
	}
	if got := ids(memory.Together(q, [][]memory.Fit{memory.Fits(q, cal, candidates, rankNow())}, nil)); !slices.Equal(got, []string{"best", "second"}) {
		t.Errorf("what fits is %v", got)
	}
}

// TestTicketsFit: what names another ticket does not fit a ticket.
func TestTicketsFit(t *testing.T) {
	t.Parallel()
	candidates := []memory.Candidate{
		candidate("this", "CLM-482: two assessors are needed.", .8, 30),
		candidate("other", "CLM-471: paid without an assessor.", .8, 30),
	}
	q := memory.Query{Text: "CLM-482", Limit: 5}
	fits := memory.Fits(q, memory.CalibrationFor("mneme-static"), candidates, rankNow())
	if len(fits) != 1 || fits[0].Hit.ID != "this" {
		t.Errorf("fits %+v", fits)
	}
}

// TestFolderIsNoFunctionWord: "sim" is a word of Portuguese, and here a folder.
func TestFolderIsNoFunctionWord(t *testing.T) {
	t.Parallel()
	q := memory.Query{Text: "net/rollback.cs sim/state.cs", Limit: 5}
	fits := memory.Fits(q, memory.CalibrationFor("mneme-static"), []memory.Candidate{
		candidate("names it", "No float and no double under sim/.", .1, 0), candidate("does not", "No float and no double anywhere.", .1, 0),
	}, rankNow())
	if fits[0].Hit.ID != "names it" || fits[0].Out <= fits[1].Out {
		t.Errorf("fits %+v", fits)
	}
}

func candidate(id, text string, cosine, keyword float64) memory.Candidate {
	return memory.Candidate{
		Memory: memory.Memory{ID: id, Text: text, Type: memory.TypeFact, Confidence: .7, Importance: .5, CreatedAt: rankNow(), LastAccessed: rankNow()},
		Cosine: cosine, HasCosine: true, Keyword: keyword,
	}
}
