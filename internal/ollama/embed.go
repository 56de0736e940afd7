package ollama

import (
	"context"
	"fmt"
	"math"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/memory"
)

// minBudget is the smallest piece, in estimated tokens, that is still worth trying.
const minBudget = 8

// Embed returns one vector for each text, in order, of one dimension. A text longer than
// the model's context is embedded in overlapping pieces, whose average weighted by length,
// made length 1, is its vector; nothing is cut off silently. A text without any known word
// may have the zero vector.
func (e *Embedder) Embed(ctx context.Context, kind Kind, texts []string) ([]memory.Vector, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	limit, err := e.context(ctx)
	if err != nil {
		return nil, err
	}
	prefix := e.profile.prefix(kind)
	// Two tokens are the model's own, for begin and end.
	pieces := piecesOf(texts, limit-estimate(prefix)-2)
	sums := make([]average, len(texts))
	for len(pieces) > 0 {
		batch := pieces[:fill(pieces)]
		pieces = pieces[len(batch):]
		if err := e.embedBatch(ctx, prefix, batch, sums); err != nil {
			return nil, err
		}
	}
	return vectorsOf(sums)
}

// piece is a text, or a part of one, that goes to Ollama.
type piece struct {
	of     int // index of the text
	text   string
	tokens int // estimated
}

// fill returns how many of the pieces one call carries: at least one, and no
// more than a slow processor embeds within the timeout of a call.
func fill(pieces []piece) int {
	n, tokens := 1, pieces[0].tokens
	for n < min(maxBatch, len(pieces)) && tokens+pieces[n].tokens <= maxBatchTokens {
		tokens += pieces[n].tokens
		n++
	}
	return n
}

func piecesOf(texts []string, budget int) []piece {
	var pieces []piece
	for i, text := range texts {
		pieces = append(pieces, cutPieces(i, text, max(budget, minBudget))...)
	}
	return pieces
}

func cutPieces(of int, text string, budget int) []piece {
	parts := cut(text, budget)
	pieces := make([]piece, len(parts))
	for i, part := range parts {
		pieces[i] = piece{of: of, text: part, tokens: estimate(part)}
	}
	return pieces
}

// embedBatch embeds pieces and adds them to the sums of their texts. When Ollama finds one
// too long it does not say which, so each is tried alone, and that one in halves.
func (e *Embedder) embedBatch(ctx context.Context, prefix string, batch []piece, sums []average) error {
	vectors, err := e.call(ctx, prefix, batch)
	if err == nil {
		for i, p := range batch {
			if err := sums[p.of].add(vectors[i], p.tokens); err != nil {
				return err
			}
		}
		return nil
	}
	if !isTooLong(err) {
		return err
	}
	if len(batch) > 1 {
		for i := range batch {
			if err := e.embedBatch(ctx, prefix, batch[i:i+1], sums); err != nil {
				return err
			}
		}
		return nil
	}
	half := batch[0].tokens / 2
	if half < minBudget {
		return err
	}
	return e.embedBatch(ctx, prefix, cutPieces(batch[0].of, batch[0].text, half), sums)
}

// call is one request to Ollama, its answer checked.
func (e *Embedder) call(ctx context.Context, prefix string, batch []piece) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	input := make([]string, len(batch))
	for i, p := range batch {
		input[i] = prefix + p.text
	}
	truncate := false
	resp, err := e.client.Embed(ctx, &api.EmbedRequest{Model: e.model, Input: input, Truncate: &truncate})
	if isBadJSON(err) {
		return nil, wrap(memory.Refused, "embed", "check MNEME_OLLAMA_URL", fmt.Errorf("what answers at %s is no Ollama: %w", e.address, err))
	}
	if err != nil {
		return nil, e.classify("embed", err)
	}
	if len(resp.Embeddings) != len(batch) {
		return nil, badAnswer("model %s answered %d vectors for %d texts", e.model, len(resp.Embeddings), len(batch))
	}
	for _, v := range resp.Embeddings {
		if err := memory.Vector(v).Check(); err != nil {
			return nil, badAnswer("model %s: %w", e.model, err)
		}
	}
	return resp.Embeddings, nil
}

// average is the weighted sum of the vectors of one text's pieces.
type average struct {
	sum    memory.Vector
	pieces int
}

func (a *average) add(vector memory.Vector, tokens int) error {
	a.pieces++
	if a.sum == nil {
		a.sum = make(memory.Vector, len(vector))
	}
	if len(vector) != len(a.sum) {
		return badAnswer("vectors of %d and of %d numbers in one answer", len(a.sum), len(vector))
	}
	weight := float32(max(tokens, 1))
	for i, x := range vector.Unit() {
		a.sum[i] += weight * x
	}
	return nil
}

func vectorsOf(sums []average) ([]memory.Vector, error) {
	vectors := make([]memory.Vector, len(sums))
	for i := range sums {
		vectors[i] = sums[i].sum.Unit()
		if len(vectors[i]) != len(vectors[0]) {
			return nil, badAnswer("vectors of %d and of %d numbers in one answer", len(vectors[0]), len(vectors[i]))
		}
		if math.IsNaN(vectors[i].Norm()) {
			return nil, badAnswer("a vector is too long to be normalised")
		}
	}
	return vectors, nil
}
