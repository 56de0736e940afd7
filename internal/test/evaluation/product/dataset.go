package main

import (
	"fmt"
	"path/filepath"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/test/evaluation/corpus"
	"github.com/mneme-memory/mneme/memory"
)

// dataset is one data set.
type dataset struct {
	name      string
	file      string            // to import
	ids       map[string]string // a memory's id in mneme, by project and id in the set
	questions []question
	all       int // questions in the set
}

type document struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Text    string `json:"text"`
}

type question struct {
	Project  string   `json:"project"`
	Query    string   `json:"query"`
	Relevant []string `json:"relevant"`
	Exclude  []string `json:"exclude"`
}

// load reads a data set. sample 0 means all its questions.
func load(folder, name string, sample int) (*dataset, error) {
	c := &dataset{name: name, file: filepath.Join(folder, "memories.jsonl"), ids: map[string]string{}}
	documents, err := corpus.ReadLines[document](c.file)
	if err != nil {
		return nil, err
	}
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		// As the import does it, so that the ids are the same.
		in, err := memory.Admit(redactor, memory.StoreInput{Text: d.Text, Project: d.Project})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.ID, err)
		}
		c.ids[d.Project+"\x00"+d.ID] = in.ID()
	}
	questions, err := corpus.ReadLines[question](filepath.Join(folder, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	c.all, c.questions = len(questions), spread(questions, sample)
	return c, nil
}

// spread returns n of list at even distances, or all when n is 0 or too many.
func spread[T any](list []T, n int) []T {
	if n <= 0 || n >= len(list) {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// idsOf translates ids of the set; several of the same text are one memory.
func (c *dataset) idsOf(project string, ids []string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		if known, ok := c.ids[project+"\x00"+id]; ok {
			out[known] = true
		}
	}
	return out
}
