package memory_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// A store is cleaned before anything else: missing fields get their defaults,
// and the id follows from text, project and collection.
func ExampleStoreInput_Clean() {
	in, err := memory.StoreInput{
		Text: " We rebuild the staging database every Sunday. ", Type: memory.TypeDecision, Tags: []string{"Ops", "db", "ops"}, Project: "example.org/shop",
	}.Clean()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Text)
	fmt.Println(in.Collection, in.Tags, *in.Importance)
	fmt.Println(in.ID() == memory.NewID("example.org/shop", memory.Memories, "We rebuild the staging database every Sunday."))
	// Output:
	// We rebuild the staging database every Sunday.
	// claude_memories [db ops] 0.5
	// true
}

// Every error says what a program can do about it, and what a person can.
func ExampleCodeOf() {
	_, err := memory.Query{Text: "deploy", Limit: 10_000}.Clean()
	err = fmt.Errorf("recall: %w", err)
	fmt.Println(err)
	fmt.Println(memory.CodeOf(err), "-", memory.HintOf(err), "-", memory.Retryable(err))

	err = memory.Down("Ollama", `start it with "ollama serve"`, errors.New("connection refused"))
	fmt.Println(memory.CodeOf(err), "-", memory.PartOf(err), "-", memory.Retryable(err))
	// Output:
	// recall: limit must be 1 to 100, got 10000
	// invalid - leave it out for 5 - false
	// unavailable - Ollama - true
}

// A query for a project sees that project and what holds everywhere.
func ExampleQuery_Projects() {
	q, err := memory.Query{Text: "which port?", Project: "example.org/shop"}.Clean()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Projects(), q.Limit)
	// Output:
	// [example.org/shop _global] 5
}

// Ranking turns what an index found into an answer: best first, each with the
// mark whether it is a strong one.
func ExampleRank() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	found := func(text string, cosine, keyword float64) memory.Candidate {
		m, err := memory.StoreInput{Text: text}.Clean()
		if err != nil {
			return memory.Candidate{}
		}
		return memory.Candidate{Memory: m.Memory(now, "nomic-embed-text"), Cosine: cosine, HasCosine: true, Keyword: keyword}
	}
	q, err := memory.Query{Text: "which port does the gateway use?"}.Clean()
	if err != nil {
		fmt.Println(err)
		return
	}
	r := memory.Rank(q, memory.CalibrationFor("nomic-embed-text"), []memory.Candidate{
		found("Lunch is at noon.", 0.31, 0),
		found("The gateway was rewritten in May.", 0.62, 4),
		found("The gateway listens on port 8443.", 0.81, 11),
	}, now)
	for _, h := range r.Hits {
		fmt.Println(h.Strong, h.Text)
	}
	// Output:
	// true The gateway listens on port 8443.
	// false The gateway was rewritten in May.
	// false Lunch is at noon.
}

// The same fact in other words of the same kind is one fact; a different number
// or name makes a different fact.
func ExampleSameFact() {
	a := "The API listens on port 8443."
	fmt.Println(memory.SameFact(a, "the API listens on  port 8443"))
	fmt.Println(memory.SameFact(a, "The API listens on port 9443."))
	// Output:
	// true
	// false
}
