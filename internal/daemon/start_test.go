package daemon_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/daemon"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// TestSlowServices starts services that are ready in different orders: whatever the order, the
// state has all four.
func TestSlowServices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		qdrant string                                      // what the program does before it serves
		pull   func(pull *http.Request, file string) error // what Ollama does before it refuses to pull the model
		model  string                                      // that is asked for
		ollama string                                      // how Ollama comes to be used
	}{
		// The start of Ollama is over, with what it found, before Qdrant's is.
		{"Qdrant after Ollama", awaitFile, makeFile, "all-minilm", homestate.Found},
		// An Ollama without its model is looked at twice, and passed over.
		{"Ollama after Qdrant", touchFile, awaitMade, "", homestate.Embedded},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "one is there")
			program := qdrantThat(t, c.qdrant, file)
			address := ollamaWithout(t, func(pull *http.Request) error { return c.pull(pull, file) })
			r := run(t, t.TempDir(), map[string]string{"MNEME_QDRANT_BINARY": program, "MNEME_EMBED_MODEL": c.model}, lookAt(address))
			modes := map[string]string{
				homestate.TemporalService: homestate.Embedded, homestate.PostgresService: homestate.Embedded,
				homestate.QdrantService: homestate.Found, homestate.OllamaService: c.ollama,
			}
			for _, name := range homestate.ServiceNames() {
				if s := r.state.Services[name]; s.Mode != modes[name] || s.Address == "" {
					t.Errorf("%s: %+v, want mode %s", name, s, modes[name])
				}
				lacking := name == homestate.OllamaService && c.ollama == homestate.Found
				if i := r.inspect(t, name); i.Version == "" || !i.Supported || (len(i.Problems) > 0) != lacking {
					t.Errorf("%s says of itself %+v", name, i)
				}
			}
		})
	}
}

// TestStartsShareNothing lets Qdrant be ready some milliseconds after Ollama: what the one start
// reads while the other one writes, the race detector sees. It forgets what a goroutine did soon
// after the goroutine has ended, so the two must be close together, and a Temporal that is
// elsewhere, and does not answer, keeps thousands of goroutines away.
func TestStartsShareNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "Ollama was asked")
	address := ollamaWithout(t, func(pull *http.Request) error {
		return errors.Join(awaitMade(pull, file+qdrantWaits), makeFile(pull, file))
	})
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	opts := daemon.Options{
		Config: settings(t, t.TempDir(), map[string]string{
			"MNEME_TEMPORAL_ADDRESS": "127.0.0.1:1", "MNEME_QDRANT_BINARY": qdrantThat(t, `export `+qdrantAwaits+`="$file"`, file), "MNEME_EMBED_MODEL": "all-minilm",
		}),
		Version: "test", Redactor: redactor, Logger: slog.New(slog.DiscardHandler),
		Ready: func(homestate.Daemon) { t.Error("it is ready without Temporal") },
	}
	lookAt(address)(&opts)
	if err := daemon.Run(t.Context(), opts); memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "Temporal" {
		t.Errorf("got %v, want that Temporal does not answer", err)
	}
}

// qdrantThat is a qdrant program that does something with a file before it serves.
func qdrantThat(t *testing.T, first, file string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "qdrant")
	script := fmt.Sprintf("#!/bin/sh\nfile='%s'\n%s\nexec '%s'\n", file, first, os.Args[0])
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return program
}

// ollamaWithout is an Ollama that has no model and refuses to pull one, after it did something.
func ollamaWithout(t *testing.T, first func(pull *http.Request) error) (address string) {
	t.Helper()
	return ollamaAt(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/api/pull":
			if err := first(r); err != nil {
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
}

// What the qdrant program does first.
const (
	touchFile = `: >"$file"`
	awaitFile = `while [ ! -e "$file" ]; do sleep 0.05; done`
)

func makeFile(_ *http.Request, file string) error { return os.WriteFile(file, nil, 0o600) }

// awaitMade waits until somebody has made the file.
func awaitMade(pull *http.Request, file string) error {
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
}
