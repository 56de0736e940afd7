package assembly

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/memory"
)

// Models opens embedders by the names of their models, each once.
type Models struct {
	// Open prepares the connection to what has a model; it makes no call. Required.
	Open func(ctx context.Context, model string) (*ollama.Embedder, error)

	mu   sync.Mutex
	open map[string]*ollama.Embedder
}

// Of returns what embeds with a model.
func (m *Models) Of(ctx context.Context, model string) (activities.Embedder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.open[model]; e != nil {
		return embedder{e}, nil
	}
	e, err := m.Open(ctx, model)
	if err != nil {
		return nil, err
	}
	if m.open == nil {
		m.open = map[string]*ollama.Embedder{}
	}
	m.open[model] = e
	return embedder{e}, nil
}

// Prepare has Ollama fetch the model if it does not have it yet. A failure is
// returned at once instead of waiting, because only the user can name another model.
func (e embedder) Prepare(ctx context.Context) error {
	has, err := e.HasModel(ctx)
	if err != nil || has {
		return err
	}
	if err := e.Pull(ctx, nil); err != nil {
		return memory.Errorf(memory.Conflict, fmt.Sprintf(`"ollama pull %s" tells more; only a real Ollama has other models than the built-in one`, e.Model()),
			"Ollama does not have the model %s: %w", e.Model(), err)
	}
	return nil
}

// InForce returns the model to work with: the configured one, or what "mneme reembed" put in its
// place. A ledger without a model takes the configured one.
func InForce(configured string, stats memory.Stats) string {
	if configured == "" || stats.Generations != nil && slices.Contains(stats.Generations.Replaced, configured) {
		return stats.Model
	}
	return configured
}
