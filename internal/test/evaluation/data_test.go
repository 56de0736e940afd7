package evaluation

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/memory"
)

// depth is how many candidates of each kind the index hands to ranking.
const depth = 30

type document struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Text    string `json:"text"`
	Session string `json:"session"`
}

type question struct {
	ID       string   `json:"id"`
	Project  string   `json:"project"`
	Query    string   `json:"query"`
	Relevant []string `json:"relevant"`
	Category string   `json:"category"`
	Exclude  []string `json:"exclude"`
}

// corpus is one data set, indexed as the real index would: cosine by exact
// search, BM25 with document frequencies over the whole collection.
type corpus struct {
	name      string
	questions []question
	vectors   []memory.Vector
	memories  []memory.Memory
	projects  map[string][]int // to places in memories
	postings  map[uint32][]posting
	places    map[string]int                // project, session and position to a place
	found     map[string][]memory.Candidate // by project and query: what was looked for already
}

type posting struct {
	place  int
	weight float64
}

func dataFolder(t testing.TB) string {
	t.Helper()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	folder := filepath.Join(shared, "retrieval-dev")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no evaluation data at %s: set MNEME_SHARED to the folder that holds retrieval-dev", folder)
	}
	return folder
}

func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var v T
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func load(t testing.TB, model *static.Model, name string) *corpus {
	t.Helper()
	folder := filepath.Join(dataFolder(t), name)
	c := &corpus{
		name: name, questions: readLines[question](t, filepath.Join(folder, "queries.jsonl")),
		projects: map[string][]int{}, postings: map[uint32][]posting{}, places: map[string]int{}, found: map[string][]memory.Candidate{},
	}
	last := map[string]int{}
	for i, d := range readLines[document](t, filepath.Join(folder, "memories.jsonl")) {
		m := memory.Memory{
			ID: d.ID, Project: d.Project, Text: d.Text, Session: d.Session,
			Confidence: memory.StartConfidence, Importance: .5, CreatedAt: now(), LastAccessed: now(),
		}
		if d.Session != "" {
			last[d.Project+"/"+d.Session]++
			m.Position = last[d.Project+"/"+d.Session]
			c.places[spot(m.Project, m.Session, m.Position)] = i
		}
		c.memories = append(c.memories, m)
		c.vectors = append(c.vectors, model.Embed(d.Text))
		c.projects[d.Project] = append(c.projects[d.Project], i)
		indices, values := keyword.Vector(d.Text)
		for j, term := range indices {
			c.postings[term] = append(c.postings[term], posting{i, float64(values[j])})
		}
	}
	return c
}

func spot(project, session string, position int) string {
	return fmt.Sprintf("%s/%s/%d", project, session, position)
}

// now is the fixed time of every evaluation.
func now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// candidates finds what the index would: the best by cosine, the best by
// words, and the neighbours of the best of both.
func (c *corpus) candidates(model *static.Model, text, project string, exclude []string) []memory.Candidate {
	vector := memory.Vector(model.Embed(text))
	words := map[int]float64{}
	indices, _ := keyword.Query(text)
	for _, term := range indices {
		list := c.postings[term]
		idf := math.Log(1 + (float64(len(c.memories)-len(list))+.5)/(float64(len(list))+.5))
		for _, p := range list {
			words[p.place] += p.weight * idf
		}
	}
	all := make([]memory.Candidate, 0, len(c.projects[project]))
	for _, i := range c.projects[project] {
		if slices.Contains(exclude, c.memories[i].ID) {
			continue
		}
		var dot float64
		for k, x := range c.vectors[i] {
			dot += float64(x) * float64(vector[k])
		}
		all = append(all, memory.Candidate{Memory: c.memories[i], Cosine: dot, HasCosine: dot != 0, Keyword: words[i]})
	}
	wanted := map[string]memory.Candidate{}
	for _, by := range []func(memory.Candidate) float64{
		func(c memory.Candidate) float64 { return c.Cosine },
		func(c memory.Candidate) float64 { return c.Keyword },
	} {
		slices.SortFunc(all, func(a, b memory.Candidate) int {
			return cmp.Or(cmp.Compare(by(b), by(a)), cmp.Compare(a.ID, b.ID))
		})
		for _, a := range all[:min(depth, len(all))] {
			wanted[a.ID] = a
		}
	}
	slices.SortFunc(all, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(memory.Evidence(b), memory.Evidence(a)), cmp.Compare(a.ID, b.ID))
	})
	beside := map[string]bool{}
	for _, a := range all[:min(10, len(all))] {
		for _, p := range []int{a.Position - 1, a.Position + 1} {
			if i, ok := c.places[spot(a.Project, a.Session, p)]; ok {
				beside[c.memories[i].ID] = true
			}
		}
	}
	out := make([]memory.Candidate, 0, len(wanted))
	for _, a := range all {
		if _, ok := wanted[a.ID]; ok || beside[a.ID] {
			out = append(out, a)
		}
	}
	return out
}
