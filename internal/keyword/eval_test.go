package keyword

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// floors are the least Recall@10 that is acceptable, a little under what was measured.
func floors() map[string]float64 {
	return map[string]float64{"locomo": .628, "nl2bash": .76, "cosqa": .56, "gitbugs": .73}
}

type document struct{ ID, Project, Text string }

type question struct {
	ID, Project, Query string
	Relevant, Exclude  []string
}

// TestRecall measures BM25 with exact inverse document frequencies, as the index computes
// them, on public retrieval sets where they are present.
func TestRecall(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	for set, floor := range floors() {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(shared, "retrieval-dev", set)
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("the retrieval set is not there (set MNEME_SHARED to the folder that has retrieval-dev): %v", err)
			}
			docs := readLines[document](t, filepath.Join(dir, "memories.jsonl"))
			questions := readLines[question](t, filepath.Join(dir, "queries.jsonl"))
			got := recall(docs, questions, 10)
			t.Logf("%s: Recall@10 %.4f", set, got)
			if got < floor {
				t.Errorf("Recall@10 %.4f, want %.3f", got, floor)
			}
		})
	}
}

func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

type posting struct {
	doc   int
	value float32
}

// recall indexes each project by itself and averages the found part of what is relevant.
func recall(docs []document, questions []question, k int) float64 {
	index := map[string]map[uint32][]posting{}
	size := map[string]int{}
	for i, d := range docs {
		terms := index[d.Project]
		if terms == nil {
			terms = map[uint32][]posting{}
			index[d.Project] = terms
		}
		indices, values := Vector(d.Text)
		for j, term := range indices {
			terms[term] = append(terms[term], posting{i, values[j]})
		}
		size[d.Project]++
	}
	var sum float64
	for _, q := range questions {
		scores := map[int]float64{}
		indices, values := Query(q.Query)
		for j, term := range indices {
			list := index[q.Project][term]
			n := float64(len(list))
			idf := math.Log(1 + (float64(size[q.Project])-n+.5)/(n+.5))
			for _, p := range list {
				scores[p.doc] += idf * float64(values[j]) * float64(p.value)
			}
		}
		sum += found(docs, q, scores, k)
	}
	return sum / float64(len(questions))
}

// found is the part of the relevant documents among the k best.
func found(docs []document, q question, scores map[int]float64, k int) float64 {
	var best []int
	for doc := range scores {
		if !slices.Contains(q.Exclude, docs[doc].ID) {
			best = append(best, doc)
		}
	}
	slices.SortFunc(best, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	hits := 0
	for _, doc := range best[:min(k, len(best))] {
		if slices.Contains(q.Relevant, docs[doc].ID) {
			hits++
		}
	}
	return float64(hits) / float64(len(q.Relevant))
}
