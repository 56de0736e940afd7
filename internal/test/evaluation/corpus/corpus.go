// Package corpus reads the public retrieval sets on which recall is measured,
// and finds candidates in them as the index does: cosine by exact search, BM25
// with document frequencies over all that is indexed.
package corpus

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/internal/keyword"
	"github.com/mneme-memory/mneme/memory"
)

// depth is how many candidates of each kind the index hands to ranking.
const depth = 30

// Question is a question of a set with what answers it.
type Question struct {
	Project  string   `json:"project"`
	Query    string   `json:"query"`
	Relevant []string `json:"relevant"`
	Category string   `json:"category"`
	Exclude  []string `json:"exclude"`
}

// Document is a memory, ready to be found.
type Document struct {
	memory.Memory
	vector  memory.Vector
	terms   []uint32
	weights []float32
}

// Corpus is a data set.
type Corpus struct {
	Name      string
	Questions []Question
	projects  map[string][]*Document
}

// Embedder turns a text into a vector.
type Embedder func(text string) memory.Vector

// Folder returns the folder of the sets: $MNEME_SHARED/retrieval-dev, else
// ../shared/retrieval-dev beside the repository at root.
func Folder(root string) string {
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	return filepath.Join(shared, "retrieval-dev")
}

// Names lists the sets.
func Names() []string { return []string{"locomo", "nl2bash", "cosqa", "gitbugs"} }

// Now is the fixed time of every evaluation.
func Now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// Load reads a set and embeds its memories.
func Load(folder, name string, embed Embedder) (*Corpus, error) {
	c := &Corpus{Name: name, projects: map[string][]*Document{}}
	var err error
	if c.Questions, err = ReadLines[Question](filepath.Join(folder, name, "queries.jsonl")); err != nil {
		return nil, err
	}
	documents, err := ReadLines[struct{ ID, Project, Text, Session string }](filepath.Join(folder, name, "memories.jsonl"))
	if err != nil {
		return nil, err
	}
	last := map[string]int{}
	for _, d := range documents {
		m := memory.Memory{
			ID: d.ID, Project: d.Project, Text: d.Text, Session: d.Session, Type: memory.TypeFact,
			Confidence: memory.StartConfidence, Importance: .5, CreatedAt: Now(), LastAccessed: Now(),
		}
		if d.Session != "" {
			last[d.Project+"/"+d.Session]++
			m.Position = last[d.Project+"/"+d.Session]
		}
		c.projects[d.Project] = append(c.projects[d.Project], NewDocument(m, embed))
	}
	return c, nil
}

// NewDocument makes a memory ready to be found.
func NewDocument(m memory.Memory, embed Embedder) *Document {
	terms, weights := keyword.Vector(m.Text)
	return &Document{m, embed(m.Text), terms, weights}
}

// Of returns the memories of a project.
func (c *Corpus) Of(project string) []*Document { return c.projects[project] }

// Index is what is searched: documents, and how many of them have a term.
type Index struct {
	documents []*Document
	frequency map[uint32]int
	size      int
}

// All returns the index of a project in a collection that holds all projects
// of the set, as they do in the product.
func (c *Corpus) All(project string) Index {
	x := Index{documents: c.projects[project], frequency: map[uint32]int{}}
	for _, list := range c.projects {
		x.count(list)
	}
	return x
}

// NewIndex returns the index of a collection that holds these documents only.
func NewIndex(documents []*Document) Index {
	x := Index{documents: documents, frequency: map[uint32]int{}}
	x.count(documents)
	return x
}

func (x *Index) count(documents []*Document) {
	x.size += len(documents)
	for _, d := range documents {
		for _, t := range d.terms {
			x.frequency[t]++
		}
	}
}

// Candidates finds what the index would: the best by cosine, the best by
// words, and the neighbours of the best of both.
func (x Index) Candidates(query string, vector memory.Vector, exclude []string) []memory.Candidate {
	all := x.scored(query, vector, exclude)
	wanted := map[string]bool{}
	for _, by := range []func(memory.Candidate) float64{
		func(c memory.Candidate) float64 { return c.Cosine },
		func(c memory.Candidate) float64 { return c.Keyword },
	} {
		sortBy(all, by)
		for _, a := range all[:min(depth, len(all))] {
			wanted[a.ID] = true
		}
	}
	sortBy(all, memory.Evidence)
	type place struct {
		session  string
		position int
	}
	beside := map[place]bool{}
	for _, a := range all[:min(memory.LendingRank, len(all))] {
		for offset := -memory.LendingReach; offset <= memory.LendingReach && a.Session != ""; offset++ {
			beside[place{a.Session, a.Position + offset}] = true
		}
	}
	return slices.DeleteFunc(all, func(a memory.Candidate) bool {
		return !wanted[a.ID] && !beside[place{a.Session, a.Position}]
	})
}

func (x Index) scored(query string, vector memory.Vector, exclude []string) []memory.Candidate {
	terms, _ := keyword.Query(query)
	all := make([]memory.Candidate, 0, len(x.documents))
	for _, d := range x.documents {
		if slices.Contains(exclude, d.ID) {
			continue
		}
		var dot, words float64
		for k, v := range d.vector {
			dot += float64(v) * float64(vector[k])
		}
		for _, t := range terms {
			if i, ok := slices.BinarySearch(d.terms, t); ok {
				n := float64(x.frequency[t])
				words += float64(d.weights[i]) * math.Log(1+(float64(x.size)-n+.5)/(n+.5))
			}
		}
		all = append(all, memory.Candidate{Memory: d.Memory, Cosine: dot, HasCosine: dot != 0, Keyword: words})
	}
	return all
}

func sortBy(all []memory.Candidate, by func(memory.Candidate) float64) {
	slices.SortFunc(all, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(by(b), by(a)), cmp.Compare(a.ID, b.ID))
	})
}

// ReadLines reads a file that holds one JSON value a line.
func ReadLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read data: %w", err)
	}
	defer f.Close()
	var out []T
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var v T
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		out = append(out, v)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return out, nil
}

// Vector returns the embedding of the document.
func (d *Document) Vector() memory.Vector { return d.vector }
