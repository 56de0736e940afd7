package qdrant_test

import (
	"strings"
	"testing"

	server "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/memory"
)

// TestInspect looks at an empty server, at a complete one, at one without a collection, and at
// one with another dimension.
func TestInspect(t *testing.T) {
	t.Parallel()
	s, err := server.Start(t.Context(), server.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	x := dial(t, s.Addr())
	if i := x.Inspect(t.Context()); len(i.Problems)+len(i.Warnings) > 0 || i.Version == "" || !i.Supported || i.Dimension != 0 {
		t.Errorf("empty: %+v", i)
	}
	if err := x.EnsureCollections(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if i := x.Inspect(t.Context()); len(i.Problems)+len(i.Warnings) > 0 || i.Dimension != 3 || i.Ledger == "" || len(i.Facts) != 1 {
		t.Errorf("as it should be: %+v", i)
	}
	if err := x.Recreate(t.Context(), memory.Collections()[2], 4); err != nil {
		t.Fatal(err)
	}
	i := x.Inspect(t.Context())
	if len(i.Problems) != 1 || !strings.Contains(i.Problems[0].Error(), "different dimensions") || memory.HintOf(i.Problems[0]) == "" {
		t.Errorf("two dimensions: %+v", i)
	}
}

// TestInspectWithAnotherKey asks a server that wants another key.
func TestInspectWithAnotherKey(t *testing.T) {
	t.Parallel()
	s, err := server.Start(t.Context(), server.Options{Dir: t.TempDir(), APIKey: "right"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	x := dialAs(t, s.Addr(), first, func(o *qdrant.Options) { o.APIKey = "wrong" })
	i := x.Inspect(t.Context())
	if len(i.Problems) != 1 || !strings.Contains(memory.HintOf(i.Problems[0]), "MNEME_QDRANT_API_KEY") || memory.CodeOf(i.Problems[0]) != memory.Refused ||
		!strings.HasPrefix(i.Problems[0].Error(), "it refuses at "+s.Addr()+": ") || strings.Contains(i.Problems[0].Error(), "rpc error") {
		t.Errorf("%+v", i)
	}
}

// TestInspectNobody asks where nothing listens.
func TestInspectNobody(t *testing.T) {
	t.Parallel()
	i := dial(t, "127.0.0.1:1").Inspect(t.Context())
	if len(i.Problems) != 1 || memory.CodeOf(i.Problems[0]) != memory.Unavailable ||
		!strings.HasPrefix(i.Problems[0].Error(), "no answer at 127.0.0.1:1: dial tcp") || strings.Contains(i.Problems[0].Error(), "desc") {
		t.Errorf("%+v", i)
	}
}
