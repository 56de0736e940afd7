package ollama

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
)

const (
	// contextLength is the limit given by /api/show, for clients that cut their
	// texts to it. The model itself has no limit, but a very long text blurs.
	contextLength = 8192
	// keptFor is how long /api/ps says the loaded model stays: it never goes.
	keptFor = 100 * 365 * 24 * time.Hour
)

// fullName is the name with its tag, as Ollama lists models.
const fullName = Model + ":latest"

func details() api.ModelDetails {
	return api.ModelDetails{
		Format:            "safetensors",
		Family:            Model,
		Families:          []string{Model},
		ParameterSize:     fmt.Sprintf("%.1fM", float64(static.Rows*static.Dimension)/1e6),
		QuantizationLevel: "I8",
	}
}

// tags answers GET /api/tags: the models there are.
func (h *handler) tags(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, api.ListResponse{Models: []api.ListModelResponse{{
		Name:       fullName,
		Model:      fullName,
		ModifiedAt: h.started,
		Size:       static.Size(),
		Digest:     static.Digest,
		Details:    details(),
	}}})
}

// ps answers GET /api/ps: the models in memory.
func (h *handler) ps(w http.ResponseWriter, _ *http.Request) {
	resp := api.ProcessResponse{Models: []api.ProcessModelResponse{}}
	if h.loaded.Load() {
		resp.Models = append(resp.Models, api.ProcessModelResponse{
			Name:          fullName,
			Model:         fullName,
			Size:          static.Size(),
			Digest:        static.Digest,
			Details:       details(),
			ExpiresAt:     h.started.Add(keptFor),
			ContextLength: contextLength,
		})
	}
	writeJSON(w, http.StatusOK, resp)
}

// show answers POST /api/show.
func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	var req api.ShowRequest
	if !decode(w, r, &req) {
		return
	}
	switch name := cmp.Or(req.Model, req.Name); { //nolint:staticcheck // old clients send the deprecated field
	case name == "":
		writeError(w, http.StatusBadRequest, "model is required")
	case !isOurs(name):
		writeError(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", name))
	default:
		writeJSON(w, http.StatusOK, h.description())
	}
}

func (h *handler) description() api.ShowResponse {
	return api.ShowResponse{
		License: "Apache-2.0",
		Details: details(),
		ModelInfo: map[string]any{
			"general.architecture":      Model,
			"general.parameter_count":   static.Rows * static.Dimension,
			Model + ".context_length":   contextLength,
			Model + ".embedding_length": static.Dimension,
		},
		Capabilities: []model.Capability{model.CapabilityEmbedding},
		ModifiedAt:   h.started,
	}
}

// pull answers POST /api/pull. Our model is here already; another cannot be had.
func (h *handler) pull(w http.ResponseWriter, r *http.Request) {
	var req api.PullRequest
	if !decode(w, r, &req) {
		return
	}
	name := cmp.Or(req.Model, req.Name) //nolint:staticcheck // old clients send the deprecated field
	if !model.ParseName(name).IsValid() {
		writeError(w, http.StatusBadRequest, "invalid model name")
		return
	}
	if !isOurs(name) {
		writeError(w, http.StatusNotFound, fmt.Sprintf("pull model %q: %s", name, onlyOurs))
		return
	}
	if req.Stream != nil && !*req.Stream {
		writeJSON(w, http.StatusOK, api.ProgressResponse{Status: "success"})
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines := json.NewEncoder(w)
	for _, line := range []api.ProgressResponse{
		{Status: "pulling manifest"},
		{Status: "pulling " + static.Digest[:12], Digest: "sha256:" + static.Digest, Total: static.Size(), Completed: static.Size()},
		{Status: "success"},
	} {
		if err := lines.Encode(line); err != nil {
			return // the client has gone
		}
	}
}
