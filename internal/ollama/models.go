package ollama

import (
	"context"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// profile is what Ollama does not apply by itself for a model.
type profile struct {
	name     string // a model whose name contains it is meant
	document string // put before what is stored
	query    string // put before what is asked
	context  int    // tokens; 0 means ask Ollama
}

// profiles are tried in order; the first whose name occurs in the model's counts. Sources
// are the models' own cards (nomic-ai/nomic-embed-text-v1.5 and -v2-moe,
// mixedbread-ai/mxbai-embed-large-v1, sentence-transformers/all-MiniLM-L6-v2, which was
// trained on 256 tokens) and, for the context of nomic-embed-text v1.5, what Ollama runs
// it with (2048, although the card says 8192).
func profiles() []profile {
	return []profile{
		{name: "nomic-embed-text-v2", document: "search_document: ", query: "search_query: ", context: 512},
		{name: "nomic-embed-text", document: "search_document: ", query: "search_query: ", context: 2048},
		{name: "mxbai-embed-large", query: "Represent this sentence for searching relevant passages: ", context: 512},
		{name: "all-minilm", context: 256},
		{name: "mneme-static", context: 8192},
	}
}

func profileOf(model string) profile {
	model = strings.ToLower(model)
	for _, p := range profiles() {
		if strings.Contains(model, p.name) {
			return p
		}
	}
	return profile{}
}

func (p profile) prefix(kind Kind) string {
	if kind == Query {
		return p.query
	}
	return p.document
}

const (
	// unknownContext is used where neither the table nor Ollama knows: the smallest
	// context that is common.
	unknownContext = 512
	// maxContext bounds a piece for models with a huge context: Ollama runs them with a
	// smaller one unless told otherwise, and a vector of so much text says little.
	maxContext = 2048
)

// contextLimit remembers the model's context once it is known.
type contextLimit struct {
	mu     sync.Mutex
	tokens int
}

// context returns how many tokens one text may have, prefix included.
func (e *Embedder) context(ctx context.Context) (int, error) {
	if e.profile.context > 0 {
		return e.profile.context, nil
	}
	e.limit.mu.Lock()
	defer e.limit.mu.Unlock()
	if e.limit.tokens > 0 {
		return e.limit.tokens, nil
	}
	info, err := e.show(ctx)
	if err != nil {
		return 0, err
	}
	e.limit.tokens = contextOf(info)
	return e.limit.tokens, nil
}

// contextOf finds "<architecture>.context_length" in Ollama's description of a model.
func contextOf(info *api.ShowResponse) int {
	for key, value := range info.ModelInfo {
		n, ok := value.(float64)
		if ok && strings.HasSuffix(key, ".context_length") && n >= 16 {
			return int(min(n, maxContext))
		}
	}
	return unknownContext
}
