package activities

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// knownFor is how long a process trusts what it read of the ledger's generations. The generation that
// was in force before is still written to and answers as well as the new one, so a process that
// hears of the change a moment later does no harm.
const knownFor = time.Second

// generations remembers which generation of the index is in force. The zero value has never asked.
type generations struct {
	mu   sync.Mutex
	at   time.Time // of the last answer
	last memory.Generations
}

// forget has the ledger asked at the next call.
func (g *generations) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = time.Time{}
}

// pinned is the key of the context's value that holds the generations of a step.
type pinned struct{}

// pin has everything that is done with the returned context use the model and the collections that
// are in force now: a vector of one model must not be looked for in the collections of another.
func (a *Activities) pin(ctx context.Context) context.Context {
	if a.IndexOf == nil {
		return ctx
	}
	return context.WithValue(ctx, pinned{}, a.inForce(ctx))
}

// inForce returns the generations of the context's step, or those that the ledger has now.
func (a *Activities) inForce(ctx context.Context) memory.Generations {
	if g, ok := ctx.Value(pinned{}).(memory.Generations); ok {
		return g
	}
	if a.IndexOf == nil {
		return memory.Generations{}
	}
	a.known.mu.Lock()
	defer a.known.mu.Unlock()
	now := time.Now()
	if !a.known.at.IsZero() && now.Sub(a.known.at) < knownFor {
		return a.known.last
	}
	ctx, cancel := context.WithTimeout(ctx, knownFor)
	defer cancel()
	// Without an answer what was known holds: recalls go on while the ledger is down.
	if g, err := a.Ledger.Generations(ctx); err == nil {
		a.known.last = g
	}
	a.known.at = now
	return a.known.last
}

// index returns the collections that answer.
func (a *Activities) index(ctx context.Context) Index {
	return a.indexOf(a.inForce(ctx).Active.Name)
}

// indexes returns the collections that answer and those beside them that are written to as well.
func (a *Activities) indexes(ctx context.Context) []Index {
	g := a.inForce(ctx)
	out := []Index{a.indexOf(g.Active.Name)}
	if beside := g.Written(); beside != nil {
		out = append(out, a.indexOf(beside.Name))
	}
	return out
}

// model names the embedding model to work with.
func (a *Activities) model(ctx context.Context) string {
	configured := a.Embedder.Model()
	if g := a.inForce(ctx); g.Follows(configured) {
		return g.Active.Model
	}
	return configured
}

// embedder returns what embeds with the model to work with.
func (a *Activities) embedder(ctx context.Context) (Embedder, error) {
	return a.embedderOf(ctx, a.model(ctx))
}

// embedderOf returns what embeds with a model.
func (a *Activities) embedderOf(ctx context.Context, model string) (Embedder, error) {
	if model == a.Embedder.Model() || a.EmbedderOf == nil {
		return a.Embedder, nil
	}
	return a.EmbedderOf(ctx, model)
}

// stillInForce refuses records of which this process knows other collections than those that are in
// force: the model was changed a moment ago. The next try knows. A rebuild of an older mneme, which goes
// on after an upgrade, has records of a model that is not on record yet, in an index that never was changed so.
func (a *Activities) stillInForce(ctx context.Context, records []memory.Record) error {
	g := a.inForce(ctx)
	never := g.Active.Name == "" && g.Beside == nil && len(g.Replaced) == 0
	if never || len(records) == 0 || records[0].Model == g.Active.Model {
		return nil
	}
	a.known.forget()
	return memory.Down("Qdrant", "it is tried again by itself", fmt.Errorf("the embedding model was changed from %s to %s", g.Active.Model, records[0].Model))
}
