package realtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// model is the embedding model that the tests give to Ollama.
const (
	model      = "all-minilm"
	dimensions = "384"
)

// ollama is a real Ollama.
type ollama struct {
	*process
	dir, addr string
}

// startOllama starts an Ollama with models of its own.
func startOllama(t *testing.T) *ollama {
	t.Helper()
	o := &ollama{dir: t.TempDir(), addr: fmt.Sprintf("127.0.0.1:%d", freePort(t))}
	o.start(t)
	modelfile := filepath.Join(o.dir, "Modelfile")
	if err := os.WriteFile(modelfile, []byte(modelfileText()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := o.command("create", model, "-f", modelfile).CombinedOutput(); err != nil {
		t.Fatalf("ollama create: %v\n%s", err, out)
	}
	return o
}

// modelfileText has the model use one thread: several wait for each other
// without a pause, which takes seconds a text on a machine that is busy.
func modelfileText() string { return "FROM " + modelPath() + "\nPARAMETER num_thread 1\n" }

func (o *ollama) url() string { return "http://" + o.addr }

func (o *ollama) command(args ...string) *exec.Cmd {
	cmd := exec.Command(built("ollama"), args...)
	cmd.Dir = o.dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + o.dir, "OLLAMA_MODELS=" + filepath.Join(o.dir, "models"), "OLLAMA_HOST=" + o.addr}
	return cmd
}

// start starts the server and waits until it answers.
func (o *ollama) start(t *testing.T) {
	t.Helper()
	o.process = start(t, o.command("serve"))
	o.until(t, func() string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url()+"/api/version", http.NoBody)
		if err != nil {
			return err.Error()
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		return ""
	})
}

// modelPath is the model's file; need has checked that the file exists.
func modelPath() string {
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join(root(), "..", "shared")
	}
	path, err := filepath.Abs(filepath.Join(shared, "models", "all-minilm-l6-v2", "all-minilm-l6-v2-q8_0.gguf"))
	if err != nil {
		return err.Error()
	}
	return path
}

// need skips a test that lacks a program or a file.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv(enabled) == "" {
		t.Skipf("set %s=1 to play against real programs, or say \"make test-real\", which builds them too", enabled)
	}
	for _, name := range programs {
		if _, err := os.Stat(built(name)); err != nil {
			t.Skipf("there is no %s: \"make test-real\" builds it", built(name))
		}
	}
	if _, err := os.Stat(modelPath()); errors.Is(err, os.ErrNotExist) {
		t.Skipf("there is no model at %s: set MNEME_SHARED to the folder that holds models", modelPath())
	}
}
