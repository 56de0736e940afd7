package memory_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestSameFact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The API listens on port 8080.", "the api  listens on port 8080", true},
		{"We deploy with `make release`.", "We deploy with make release", true},
		{"Indent Go code with tabs", "indent Go code with tabs!", true},
		{"Delete the build folder before a release", "Remove build directory before the release", true},
		{"The file lives in /etc/mneme.", "The file lives in /etc/mneme", true},
		{"Don't force-push to main", "Do not force-push to main", true},
		{"Postgres listens on port 5432", "Postgres listens on port 5433", false},
		{"Indent with tabs", "Indent with spaces", false},
		{"Force-push to main", "Do not force-push to main", false},
		{"Use Go 1.25", "Use Go 1.26", false},
		{"The timeout is 5 seconds", "The timeout is 5 minutes", false},
		{"The config is ~/.mneme/config.toml", "The config is ~/.mneme/config.yaml", false},
		{"Run the tests with -v", "Run the tests with -race", false},
		{"The client calls the server", "The server calls the client", false},
		{"Staging runs on db1", "Production runs on db1", false},
		{"Set GOFLAGS=-mod=mod", "Set GOFLAGS=-mod=vendor", false},
		{"Alice reviews the parser", "Bob reviews the parser", false},
		{"Back up before the migration", "Back up after the migration", false},
		{"maxRetries must be 3", "minRetries must be 3", false},
		{"", "", true},
		{"...", "!!!", false},
	} {
		if got := memory.SameFact(c.a, c.b); got != c.same {
			t.Errorf("SameFact(%q, %q) = %v, want %v", c.a, c.b, got, c.same)
		}
		if memory.SameFact(c.a, c.b) != memory.SameFact(c.b, c.a) {
			t.Errorf("SameFact(%q, %q) depends on the order", c.a, c.b)
		}
	}
}

// TestSameFactPairs holds the gate to public pairs: none about another value
// may pass, and every repeat must.
func TestSameFactPairs(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	f, err := os.Open(filepath.Join(shared, "retrieval-dev", "pairs", "pairs.jsonl"))
	if err != nil {
		t.Skipf("no evaluation data: %v; set MNEME_SHARED to the folder that holds retrieval-dev", err)
	}
	defer f.Close()
	passed, all := map[string]int{}, map[string]int{}
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		var p struct{ A, B, Kind string }
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all[p.Kind]++
		if memory.SameFact(p.A, p.B) {
			passed[p.Kind]++
		}
	}
	for kind, n := range all {
		t.Logf("%-24s %3d of %3d pass", kind, passed[kind], n)
	}
	if passed["other-value"] > 0 {
		t.Errorf("%d pairs of different values pass", passed["other-value"])
	}
	for _, kind := range []string{"exact-repeat", "same-but-punctuation"} {
		if passed[kind] < all[kind] {
			t.Errorf("%s: only %d of %d pass", kind, passed[kind], all[kind])
		}
	}
}

func FuzzSameFact(f *testing.F) {
	f.Add("Use port 80.", "use port 80")
	f.Add("\"'", "`-- .")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !memory.SameFact(a, a) {
			t.Errorf("%q is not the same as itself", a)
		}
		if memory.SameFact(a, b) != memory.SameFact(b, a) {
			t.Errorf("%q and %q: the order matters", a, b)
		}
	})
}
