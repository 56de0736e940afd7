package memory_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

var questionTime = time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)

func answer(id, text string, cosine float64) memory.Candidate {
	return memory.Candidate{HasCosine: true, Cosine: cosine, Memory: memory.Memory{
		ID: id, Text: text, Project: "p", Collection: memory.Memories, Type: memory.TypeFact, State: memory.Live, Confidence: 0.5,
		CreatedAt: questionTime, ContentHash: memory.ContentHash(text),
	}}
}

// TestWatchHoldsBackWhatLosesAnAnswer has a merge whose survivor answers, one
// whose survivor is far from the question, and one of others that come before the answer.
func TestWatchHoldsBackWhatLosesAnAnswer(t *testing.T) {
	t.Parallel()
	asked := func() memory.Asked {
		return memory.Asked{
			ID: "q", Name: "pinned question q", Query: memory.Query{Text: "which port", Project: "p"}, Vector: memory.Vector{1, 0}, Within: 1,
			Candidates: []memory.Candidate{
				answer("a", "The API listens on port 8443.", 0.9), answer("b", "API listens on port 8443", 0.6), answer("c", "A build takes an hour.", 0.5),
			},
			Answers: []string{"a"},
		}
	}
	record := func(id, text string, v memory.Vector) memory.Record {
		return memory.Record{Memory: answer(id, text, 0).Memory, Vector: v}
	}
	for what, c := range map[string]struct {
		after memory.Record
		gone  []string
		loses bool
	}{
		"the answer goes into one that answers":  {record("b", "API listens on port 8443", memory.Vector{1, 0}), []string{"a"}, false},
		"the answer goes into one far away":      {record("b", "Something else.", memory.Vector{0, 1}), []string{"a"}, true},
		"others become one that comes before it": {record("b", "Which port? That port.", memory.Vector{1, 0}), []string{"x"}, true},
		"memories that no question finds":        {record("y", "Another.", memory.Vector{1, 0}), []string{"z"}, false},
	} {
		w := memory.NewWatch(memory.CalibrationFor("nomic-embed-text"), questionTime, []memory.Asked{asked()})
		if lost, loses := w.Merge(c.after, c.gone); loses != c.loses || loses && lost.ID != "q" {
			t.Errorf("%s: loses %v, %+v", what, loses, lost.ID)
		}
	}
	lost := asked()
	lost.Answers = []string{"nobody"}
	w := memory.NewWatch(memory.CalibrationFor("nomic-embed-text"), questionTime, []memory.Asked{lost})
	if _, loses := w.Merge(record("b", "Something else.", memory.Vector{0, 1}), []string{"a"}); loses {
		t.Error("a question without an answer has lost it")
	}
}

// TestNoSequenceOfMergesLosesAnAnswer makes random merges that a watch lets pass
// and asks the question anew after each: the answer, or what it went into, is
// always found.
func TestNoSequenceOfMergesLosesAnAnswer(t *testing.T) {
	t.Parallel()
	cal := memory.CalibrationFor("nomic-embed-text")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 9).Draw(t, "memories")
		records, byID := make([]memory.Record, n), map[string]memory.Record{}
		query := memory.Vector{1, 0}
		var candidates []memory.Candidate
		for i := range records {
			text := fmt.Sprintf("Fact %d about port %d.", i, rapid.IntRange(0, 2).Draw(t, "port"))
			c := answer(fmt.Sprint("m", i), text, 0)
			v := memory.Vector{float32(rapid.Float64Range(-1, 1).Draw(t, "x")), float32(rapid.Float64Range(-1, 1).Draw(t, "y"))}
			c.Cosine = memory.Cosine(query, v)
			records[i] = memory.Record{Memory: c.Memory, Vector: v}
			byID[c.ID], candidates = records[i], append(candidates, c)
		}
		within := rapid.IntRange(1, 3).Draw(t, "within")
		q := memory.Query{Text: "which port", Project: "p", Limit: within}
		first := memory.Rank(q, cal, candidates, questionTime).Hits[0].ID
		w := memory.NewWatch(cal, questionTime, []memory.Asked{{
			ID: "q", Query: q, Vector: query, Candidates: candidates, Answers: []string{first}, Within: within,
		}})
		into := map[string]string{}
		for range rapid.IntRange(1, 6).Draw(t, "merges") {
			a := records[rapid.IntRange(0, n-1).Draw(t, "survivor")].ID
			b := records[rapid.IntRange(0, n-1).Draw(t, "other")].ID
			if _, there := byID[a]; !there || a == b {
				continue
			}
			if _, there := byID[b]; !there {
				continue
			}
			after := memory.Merge(byID[a], byID[b])
			if _, loses := w.Merge(after, []string{b}); loses {
				continue
			}
			byID[a], into[b] = after, a
			delete(byID, b)
		}
		for into[first] != "" {
			first = into[first]
		}
		var now []memory.Candidate
		for _, r := range byID {
			now = append(now, memory.Candidate{Memory: r.Memory, Cosine: memory.Cosine(query, r.Vector), HasCosine: true})
		}
		for _, h := range memory.Rank(q, cal, now, questionTime).Hits {
			if h.ID == first {
				return
			}
		}
		t.Fatalf("%s is lost", first)
	})
}
