package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/internal/test/evaluation/corpus"
	"github.com/mneme-memory/mneme/memory"
)

// scenario is a file of hand-written questions to the memories of a project.
type scenario struct {
	Memories []struct {
		ID, Type, Text string
		DaysAgo        float64 `json:"days_ago"`
	}
	Questions []struct {
		Ask      string
		Relevant []string
		None     bool
	}
}

// played returns the first candidates of the questions in a folder of
// scenarios, which may be missing.
func played(folder string, embed corpus.Embedder) ([]example, error) {
	files, err := filepath.Glob(filepath.Join(folder, "questions", "*.json"))
	if err != nil {
		return nil, err
	}
	var out []example
	for _, file := range files {
		var s scenario
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		parts := map[string][]*corpus.Document{} // by collection
		for _, m := range s.Memories {
			collection := memory.CollectionOf(m.Type)
			parts[collection] = append(parts[collection], corpus.NewDocument(memory.Memory{
				ID: m.ID, Text: m.Text, Type: m.Type, Collection: collection, Confidence: memory.StartConfidence, Importance: .5,
				CreatedAt: corpus.Now().Add(-time.Duration(m.DaysAgo * float64(24*time.Hour))), LastAccessed: corpus.Now(),
			}, embed))
		}
		for _, q := range s.Questions {
			var candidates []memory.Candidate
			for _, documents := range parts {
				candidates = append(candidates, corpus.NewIndex(documents).Candidates(q.Ask, embed(q.Ask), nil)...)
			}
			places := memory.Leads(memory.Query{Text: q.Ask}, memory.CalibrationFor(static.Name), candidates, corpus.Now())
			out = append(out, example{
				set: "scenarios", size: len(s.Memories), standing: places[0], answered: !q.None, right: slices.Contains(q.Relevant, places[0].ID),
			})
		}
	}
	return out, nil
}
