package memory_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

func rankNow() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }

func barOf(v float64) *float64 { return &v }

func anyCandidates(t *rapid.T) []memory.Candidate {
	n := rapid.IntRange(0, 12).Draw(t, "n")
	out := make([]memory.Candidate, n)
	for i := range out {
		out[i] = memory.Candidate{
			Memory: memory.Memory{
				ID: fmt.Sprintf("id%02d", i), Text: rapid.SampledFrom([]string{"retry policy", "use tabs", "deploy on friday"}).Draw(t, "text"),
				Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"), Importance: .5, LastAccessed: rankNow(),
				Session: rapid.SampledFrom([]string{"", "s"}).Draw(t, "session"), Position: i,
			},
			Cosine: rapid.Float64Range(-1, 1).Draw(t, "cosine"), HasCosine: rapid.Bool().Draw(t, "has"),
			Keyword: rapid.Float64Range(0, 40).Draw(t, "keyword"),
		}
	}
	return out
}

func TestRankProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cal := memory.CalibrationFor(rapid.SampledFrom([]string{"mneme-static", "all-minilm", "nomic-embed-text"}).Draw(t, "model"))
		all := anyCandidates(t)
		q := memory.Query{Text: "what is the retry policy", Limit: rapid.IntRange(1, 20).Draw(t, "limit"), MinScore: barOf(rapid.SampledFrom([]float64{0, .3, .7}).Draw(t, "bar"))}
		if len(all) > 0 && rapid.Bool().Draw(t, "exclude") {
			q.Exclude = []string{all[0].ID}
		}
		res := memory.Rank(q, cal, all, rankNow())
		if again := memory.Rank(q, cal, rapid.Permutation(all).Draw(t, "order"), rankNow()); !reflect.DeepEqual(res, again) {
			t.Fatalf("the order of candidates matters:\n%+v\n%+v", res, again)
		}
		if len(res.Hits) > q.Limit || len(res.Hits)+res.BelowBar > len(all) {
			t.Fatalf("%d hits and %d below of %d, limit %d", len(res.Hits), res.BelowBar, len(all), q.Limit)
		}
		if *q.MinScore == 0 && len(res.Hits) != min(q.Limit, len(all)-len(q.Exclude)) {
			t.Fatalf("the bar 0 kept some of %d out: %d hits", len(all), len(res.Hits))
		}
		for i, h := range res.Hits {
			if h.Score < 0 || h.Score > 1 || (*q.MinScore > 0 && h.Score <= *q.MinScore) || h.Strong != (h.Score > memory.StrongAbove) || slices.Contains(q.Exclude, h.ID) {
				t.Fatalf("hit %+v does not belong", h)
			}
			if i > 0 && h.Score > res.Hits[i-1].Score {
				t.Fatalf("not in the order of scores: %+v", res.Hits)
			}
		}
	})
}

func TestRankIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyCandidates(t)
		if len(all) == 0 {
			return
		}
		for i := range all {
			all[i].Session = "" // who lifts the floor of a session lowers what it lends
		}
		q := memory.Query{Text: "retry", Limit: 100}
		cal := memory.CalibrationFor("mneme-static")
		i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
		at := func(cs []memory.Candidate) int {
			hits := memory.Rank(q, cal, cs, rankNow()).Hits
			return slices.IndexFunc(hits, func(h memory.Hit) bool { return h.ID == all[i].ID })
		}
		better := slices.Clone(all)
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			better[i].Cosine = min(1, better[i].Cosine+.2)
		case 1:
			better[i].Keyword += 3
		default:
			better[i].Confidence = min(1, better[i].Confidence+.2)
		}
		if b, a := at(all), at(better); a > b {
			t.Fatalf("more evidence moved it from place %d to %d", b, a)
		}
	})
}

func TestRankStrength(t *testing.T) {
	t.Parallel()
	cal := memory.CalibrationFor("mneme-static")
	others := []memory.Candidate{
		cand("Deployments happen on Fridays", .3, 0), cand("Lunch is at noon", .25, 0), cand("The office has a printer", .28, 0),
	}
	for name, c := range map[string]struct {
		query  string
		c      memory.Candidate
		strong bool
	}{
		"the same text":                   {"Use tabs", cand("Use  tabs", 0, 0), true},
		"near in meaning":                 {"indentation", cand("Use tabs", .8, 0), true},
		"unrelated":                       {"who won the match", cand("Use tabs", .3, 0), false},
		"an identifier":                   {"ERR4711", cand("ERR4711 means the disk is full", .5, 9), true},
		"one common word of many":         {"how do we deploy the billing service", cand("The service is down", .3, 2), false},
		"a language of which little said": {"¿Quién limpia la oficina de Zaragoza?", cand("El usuario quiere la prueba de todo", .9, 0), false},
		"a language, in the same words":   {"¿Quién limpia la oficina?", cand("Pedro limpia la oficina", .9, 9), true},
		"Chinese, other characters":       {"数据库端口", cand("今天天气很好", 0, 0), false},
		"without vector, few words":       {"数据库端口", cand("数据在哪里", 0, 1), false},
	} {
		q := memory.Query{Text: c.query, Limit: 5}
		res := memory.Rank(q, cal, append([]memory.Candidate{c.c}, others...), rankNow())
		if res.Hits[0].ID != c.c.ID && c.strong || res.Hits[0].Strong != c.strong {
			t.Errorf("%s: first is %+v, want strong %v", name, res.Hits[0], c.strong)
		}
	}
}

// The chance never rises from one hit to the next: there is one number.
func TestRankScoresFall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hits := memory.Rank(memory.Query{Text: "what is the retry policy", Limit: 100}, memory.CalibrationFor("mneme-static"), anyCandidates(t), rankNow()).Hits
		for i, h := range hits {
			if i > 0 && h.Score > hits[i-1].Score {
				t.Fatalf("hit %d scores %v after %v", i, h.Score, hits[i-1].Score)
			}
		}
	})
}

func cand(text string, cosine, keyword float64) memory.Candidate {
	return memory.Candidate{
		Memory: memory.Memory{ID: text, Text: text, Confidence: .5, Importance: .5, LastAccessed: rankNow()},
		Cosine: cosine, HasCosine: cosine != 0, Keyword: keyword,
	}
}

func TestRankPriorsOnlyBreakTies(t *testing.T) {
	t.Parallel()
	trusted, clear := cand("a", .60, 0), cand("b", .65, 0)
	trusted.Confidence, trusted.Importance = 1, 1
	clear.Confidence, clear.Importance, clear.CreatedAt = 0, 0, rankNow().AddDate(-5, 0, 0)
	q := memory.Query{Text: "x", Limit: 2, MinScore: barOf(0)}
	cal := memory.CalibrationFor("")
	if got := memory.Rank(q, cal, []memory.Candidate{trusted, clear}, rankNow()).Hits[0].ID; got != "b" {
		t.Error("confidence overturned a clear difference")
	}
	clear.Cosine = .60
	if got := memory.Rank(q, cal, []memory.Candidate{trusted, clear}, rankNow()).Hits[0].ID; got != "a" {
		t.Error("confidence did not decide a tie")
	}
}

func TestRankReasons(t *testing.T) {
	t.Parallel()
	question, answer := cand("When did you move?", .9, 10), cand("In May.", .4, 0)
	question.Session, question.Position, answer.Session, answer.Position = "s", 1, "s", 2
	q := memory.Query{Text: "when did they move", Limit: 2, MinScore: barOf(0)}
	hits := memory.Rank(q, memory.CalibrationFor(""), []memory.Candidate{answer, question}, rankNow()).Hits
	if want := "keywords: move"; !slices.Contains(hits[0].Reasons, want) {
		t.Errorf("reasons %q lack %q", hits[0].Reasons, want)
	}
	for _, want := range []string{"near other hits in its session"} {
		if !slices.Contains(hits[1].Reasons, want) {
			t.Errorf("reasons %q lack %q", hits[1].Reasons, want)
		}
	}
}

func TestCalibrationInverts(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"mneme-static", "mneme-static:latest", "nomic-embed-text"} {
		cal := memory.CalibrationFor(model)
		for s := .31; s < 1; s += .01 {
			if back := cal.Similarity(cal.Cosine(s)); back < s-1e-9 || back > s+1e-9 {
				t.Errorf("%s: similarity %v comes back as %v", model, s, back)
			}
		}
	}
}
