package daemon_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// TestSlowServices starts services that are ready in different orders: whatever the order, the
// state has all four, and nothing that one start writes is read by another one (which the race
// detector tells).
func TestSlowServices(t *testing.T) {
	t.Parallel()
	const touch, await = `: >"$file"`, `while [ ! -e "$file" ]; do sleep 0.05; done`
	for _, c := range []struct {
		name   string
		qdrant string                                      // what the program does before it serves
		pull   func(pull *http.Request, file string) error // what Ollama does before it refuses to pull the model
	}{
		{"Qdrant after Ollama", await, func(_ *http.Request, file string) error { return os.WriteFile(file, nil, 0o600) }},
		{"Ollama after Qdrant", touch, func(pull *http.Request, file string) error {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for {
				if _, err := os.Stat(file); err == nil {
					return nil
				}
				select {
				case <-pull.Context().Done():
					return pull.Context().Err()
				case <-tick.C:
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "one is there")
			program := filepath.Join(t.TempDir(), "qdrant")
			script := fmt.Sprintf("#!/bin/sh\nfile='%s'\n%s\nexec '%s'\n", file, c.qdrant, os.Args[0])
			if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
			address := ollamaAt(t, func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/api/pull":
					if err := c.pull(r, file); err != nil {
						t.Error(err)
					}
					http.Error(w, `{"error":"no such host"}`, http.StatusInternalServerError)
					return true
				case "/api/show":
					return noModel(w)
				default:
					return false
				}
			})
			// The Ollama that is found lacks the model, so the start looks twice at what it found.
			r := run(t, t.TempDir(), map[string]string{"MNEME_QDRANT_BINARY": program, "MNEME_EMBED_MODEL": ""}, lookAt(address))
			modes := map[string]string{
				config.TemporalService: config.Embedded, config.PostgresService: config.Embedded,
				config.QdrantService: config.Found, config.OllamaService: config.Embedded,
			}
			for _, name := range config.ServiceNames() {
				if s := r.state.Services[name]; s.Mode != modes[name] || !s.OK || s.Address == "" || s.Version == "" {
					t.Errorf("%s: %+v, want mode %s", name, s, modes[name])
				}
			}
			if got := store(t, r.client, fact, "a"); got.Status != memory.Stored {
				t.Errorf("stored: %+v", got)
			}
		})
	}
}
