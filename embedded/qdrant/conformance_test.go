package qdrant_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/qdrant/internal/conformance"
)

// leftOut are the recorded scenarios that the server is not held to, each with the reason.
// A name that ends in a slash stands for all of its group.
var leftOut = map[string]string{
	"formula/":     "memories are ranked in Go, where the evaluation can try other weights",
	"fusion/order": "it groups what it ordered, and grouping is left out",
	"query/by-id":  "recall asks with a text, never with a stored point",
	"query/groups": "results are grouped by session in Go, beside the other evidence",
	"read/facet":   "counts come from the ledger",
	"snapshots/":   "a stopped server's folder can be copied, and the ledger rebuilds an index",
}

// TestConformance holds the server to what the real Qdrant answered, over a connection and in
// this process.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("over a connection", func(t *testing.T) {
		t.Parallel()
		playAll(t, func(*qdrant.Server) []grpc.UnaryClientInterceptor { return nil })
	})
	t.Run("in this process", func(t *testing.T) {
		t.Parallel()
		playAll(t, func(s *qdrant.Server) []grpc.UnaryClientInterceptor {
			return []grpc.UnaryClientInterceptor{s.Local()}
		})
	})
}

// playAll plays what was recorded to a server of its own, through interceptors.
func playAll(t *testing.T, through func(*qdrant.Server) []grpc.UnaryClientInterceptor) {
	t.Helper()
	scenarios, err := conformance.Load("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	keys := conformance.Keys{All: "all", ReadOnly: "read"}
	server := start(t, qdrant.Options{Dir: t.TempDir(), APIKey: keys.All, ReadOnlyAPIKey: keys.ReadOnly})
	player, err := conformance.Dial(server.Addr(), keys, through(server)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { player.Close() })
	used := map[string]bool{}
	// One after the other: some scenarios list all collections.
	for _, want := range scenarios {
		name := want.Group + "/" + want.Name
		if key := leftOutKey(name); key != "" {
			used[key] = true
			continue
		}
		t.Run(name, func(t *testing.T) {
			got, err := player.Play(t.Context(), want)
			if err != nil {
				t.Fatal(err)
			}
			if lines := conformance.Compare(want, got); len(lines) > 0 {
				t.Errorf("%s\n%s", want.About, strings.Join(lines, "\n"))
			}
		})
	}
	for key := range leftOut {
		if !used[key] {
			t.Errorf("%q is left out and not recorded", key)
		}
	}
}

// leftOutKey returns the entry of [leftOut] that a scenario falls under, or "".
func leftOutKey(name string) string {
	group, _, _ := strings.Cut(name, "/")
	for _, key := range []string{name, group + "/"} {
		if _, ok := leftOut[key]; ok {
			return key
		}
	}
	return ""
}

// TestLeftOutIsRefused makes each call that the server is not held to. A call that it
// does not know must be refused: a wrong answer would be believed.
func TestLeftOutIsRefused(t *testing.T) {
	t.Parallel()
	scenarios, err := conformance.Load("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, qdrant.Options{Dir: t.TempDir()})
	player, err := conformance.Dial(server.Addr(), conformance.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { player.Close() })
	for _, want := range scenarios {
		if leftOutKey(want.Group+"/"+want.Name) == "" {
			continue
		}
		got, err := player.Play(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		refused := slices.ContainsFunc(got.Steps, func(s conformance.Step) bool {
			return s.Error != nil && s.Error.Code == "Unimplemented"
		})
		if !refused && len(conformance.Compare(want, got)) > 0 {
			t.Errorf("%s/%s: no call is refused, and the answers differ:\n%s",
				want.Group, want.Name, strings.Join(conformance.Compare(want, got), "\n"))
		}
	}
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
