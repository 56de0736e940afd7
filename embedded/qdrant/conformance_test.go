package qdrant_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mneme-memory/mneme/embedded/qdrant"
)

// TestConformance holds the server to what the real Qdrant answered.
func TestConformance(t *testing.T) {
	t.Parallel()
	tool, recorded := buildTool(t)
	server := start(t, qdrant.Options{Dir: t.TempDir(), APIKey: "all", ReadOnlyAPIKey: "read"})
	groups := []string{
		"aliases/", "auth/", "changes/", "collections/", "filter/",
		"fusion/(rrf|dbsf)", "indexes/", "query/(nearest|strict|select|filters|batch)",
		"read/(scroll|order-by|count|get)", "service/", "sparse/", "upsert/",
	}
	// One after the other: some scenarios list all collections.
	for _, group := range groups {
		t.Run(group, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), tool, "check", "-addr", server.Addr(), "-in", recorded,
				"-api-key", "all", "-read-only-api-key", "read", "-run", "^"+group)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// buildTool compiles the conformance tool, which is a module of its own.
func buildTool(t *testing.T) (tool, recorded string) {
	t.Helper()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	source, err := filepath.Abs(filepath.Join(shared, "tools", "qdrant-conformance"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
		t.Skipf("no conformance recordings at %s: set MNEME_SHARED to the folder that holds tools/qdrant-conformance", source)
	}
	copied := filepath.Join(t.TempDir(), "source")
	if err := os.CopyFS(copied, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	tool = filepath.Join(t.TempDir(), "conformance")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", tool, ".")
	cmd.Dir = copied
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build conformance tool: %v\n%s", err, out)
	}
	return tool, filepath.Join(copied, "recorded")
}

func start(t testing.TB, opts qdrant.Options) *qdrant.Server {
	t.Helper()
	server, err := qdrant.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return server
}
