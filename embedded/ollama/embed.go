package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
)

// embed answers POST /api/embed. The model has no context limit, so "truncate" never
// matters; "keep_alive" is accepted, and the model stays.
func (h *handler) embed(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	var req api.EmbedRequest
	if !decode(w, r, &req) {
		return
	}
	texts, err := inputs(req.Input)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	m := h.find(w, req.Model)
	if m == nil {
		return
	}
	resp := api.EmbedResponse{Model: req.Model, Embeddings: [][]float32{}, LoadDuration: time.Since(start)}
	if len(texts) == 0 { // Ollama's way to load a model beforehand
		writeJSON(w, http.StatusOK, api.EmbedResponse{Model: req.Model, Embeddings: [][]float32{}})
		return
	}
	resp.Embeddings, resp.PromptEvalCount, err = embedAll(r.Context(), m, texts, req.Dimensions)
	if err != nil {
		return // the client has gone; nobody reads an answer
	}
	resp.TotalDuration = time.Since(start)
	writeJSON(w, http.StatusOK, resp)
}

// inputs returns the texts of a request's "input": a string, or an array of strings. One
// empty string is no text, as in Ollama.
func inputs(input any) ([]string, error) {
	errType := errors.New("invalid input type")
	switch v := input.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil
		}
		return []string{v}, nil
	case []any:
		if len(v) > maxInputs {
			return nil, fmt.Errorf("%d texts in one request, at most %d are allowed", len(v), maxInputs)
		}
		texts := make([]string, len(v))
		for i := range v {
			text, ok := v[i].(string)
			if !ok {
				return nil, errType
			}
			texts[i] = text
		}
		return texts, nil
	}
	return nil, errType
}

// embedAll embeds every text and counts their pieces. It fails only when ctx ends.
func embedAll(ctx context.Context, m *static.Model, texts []string, dimensions int) (vectors [][]float32, pieces int, err error) {
	vectors = make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		vector, n := m.EmbedCount(text)
		vectors[i] = shorten(vector, dimensions)
		pieces += n
	}
	return vectors, pieces, nil
}

// shorten keeps the first dimensions numbers of a vector and makes its length 1 again. As
// in Ollama, a number that is not below the vector's size changes nothing.
func shorten(vector []float32, dimensions int) []float32 {
	if dimensions <= 0 || dimensions >= len(vector) {
		return vector
	}
	vector = vector[:dimensions]
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return vector
	}
	for i := range vector {
		vector[i] = float32(float64(vector[i]) / math.Sqrt(sum))
	}
	return vector
}

// embeddings answers POST /api/embeddings, Ollama's older call for one text.
func (h *handler) embeddings(w http.ResponseWriter, r *http.Request) {
	var req api.EmbeddingRequest
	if !decode(w, r, &req) {
		return
	}
	m := h.find(w, req.Model)
	if m == nil {
		return
	}
	resp := api.EmbeddingResponse{Embedding: []float64{}}
	if req.Prompt != "" { // an empty prompt only loads the model
		for _, x := range m.Embed(req.Prompt) {
			resp.Embedding = append(resp.Embedding, float64(x))
		}
	}
	writeJSON(w, http.StatusOK, resp)
}
