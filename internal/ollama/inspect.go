package ollama

import (
	"context"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/memory"
)

// Oldest is the oldest Ollama that can be embedded with: it was the first to take several
// texts in one call (POST /api/embed).
const Oldest = "0.3.4"

// Inspect asks the server for its version and for the model. The model is not loaded for that,
// which can take seconds.
func (e *Embedder) Inspect(ctx context.Context) memory.Inspection {
	i := memory.Inspection{Model: e.model}
	version, err := e.Version(ctx)
	if err != nil {
		i.Fail(err)
		return i
	}
	i.Learn(part, version, Oldest)
	info, err := e.show(ctx)
	if err != nil {
		i.Fail(err)
		return i
	}
	if i.Dimension = dimensionOf(info); i.Dimension > 0 {
		i.Tell("%s of %d dimensions", e.model, i.Dimension)
	} else {
		i.Tell("%s", e.model)
	}
	return i
}

// dimensionOf finds "<architecture>.embedding_length" in Ollama's description of a model, 0 if
// it has none.
func dimensionOf(info *api.ShowResponse) int {
	for key, value := range info.ModelInfo {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".embedding_length") && n >= 1 && n <= 1<<16 {
			return int(n)
		}
	}
	return 0
}
