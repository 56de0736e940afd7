package endtoend

import (
	"path/filepath"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/workflows"
)

// commons are the servers that several homes share, as settings.
func commons(t *testing.T) []string {
	t.Helper()
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	server, err := temporal.Start(t.Context(), temporal.Options{
		Dir: t.TempDir(), Namespace: "commons", SearchAttributes: attributes, Headless: true,
	})
	check(t, err)
	t.Cleanup(func() { check(t, server.Stop()) })
	index, err := qdrant.Start(t.Context(), qdrant.Options{Dir: t.TempDir(), APIKey: "of the commons"})
	check(t, err)
	t.Cleanup(func() { check(t, index.Stop()) })
	return []string{
		"MNEME_TEMPORAL_ADDRESS=" + server.Addr(), "MNEME_TEMPORAL_NAMESPACE=commons",
		"MNEME_QDRANT_ADDRESS=" + index.Addr(), "MNEME_QDRANT_API_KEY=of the commons",
	}
}

// live starts a home, and stops it with the test.
func live(t *testing.T, name string, settings ...string) *world {
	t.Helper()
	w, err := newWorld(filepath.Dir(shared.dir), name, shared.bin, settings...)
	check(t, err)
	w.begin(t)
	t.Cleanup(func() { w.end(t); check(t, w.leftBehind()) })
	return w
}

// begin starts a home, also one of which a part refuses.
func (w *world) begin(t *testing.T) {
	t.Helper()
	w.cli(t, "", "up", "--detach")
	if _, ready, err := homestate.Running(w.home); err != nil || !ready {
		t.Fatalf("it is not up: %v", err)
	}
}

// end stops a home if it is up.
func (w *world) end(t *testing.T) {
	t.Helper()
	if _, ready, err := homestate.Running(w.home); err != nil || ready {
		check(t, w.stop())
	}
}

func (w *world) says(t *testing.T, want string, args ...string) {
	t.Helper()
	if a := w.cli(t, "", args...); !strings.Contains(a.stdout+a.stderr, want) {
		t.Errorf("mneme %q does not say %q: exit %d\n%s%s", args, want, a.code, a.stdout, a.stderr)
	}
}

func (w *world) finds(t *testing.T, text string, want bool) {
	t.Helper()
	a := w.cli(t, "", "recall", text, "--project", "commons")
	if strings.Contains(a.stdout, text) != want {
		t.Errorf("found %q: %v; exit %d\n%s%s", text, !want, a.code, a.stdout, a.stderr)
	}
}

// TestSharedServers has two ledgers on one Qdrant and one Temporal, and a second
// machine of the first ledger.
func TestSharedServers(t *testing.T) {
	t.Parallel()
	servers := commons(t)
	first := live(t, "first", servers...)
	const mine, theirs, late = "The first ledger keeps quinces.", "The second ledger keeps medlars.", "A second machine keeps sloes."
	first.ok(t, "store", mine, "--project", "commons")
	d, err := homestate.Read(first.home)
	check(t, err)

	// Another ledger is told, finds nothing of the first, and loses nothing.
	second := live(t, "second", servers...)
	second.says(t, "accepted", "store", theirs, "--project", "commons")
	second.finds(t, mine, false)
	second.says(t, "MNEME_QDRANT_PREFIX", "doctor")
	second.says(t, d.Ledger, "doctor")
	second.says(t, d.Ledger, "status")
	first.finds(t, mine, true)
	first.finds(t, theirs, false)

	// With a prefix the second home has collections of its own, and its accepted memory is stored.
	second.end(t)
	second.env = append(second.env, "MNEME_QDRANT_PREFIX=second-")
	second.begin(t)
	wait.Until(t, "what was accepted is stored", func() bool {
		return strings.Contains(second.cli(t, "", "recall", theirs, "--project", "commons").stdout, theirs)
	})
	second.finds(t, theirs, true)
	second.finds(t, mine, false)
	second.ok(t, "rebuild")
	second.ok(t, "doctor")
	first.finds(t, mine, true)
	first.ok(t, "doctor")

	// A door beside the servers is told that there are two, and asks the one it is set to.
	door, err := newWorld(filepath.Dir(shared.dir), "door-beside", shared.bin, append(servers, "MNEME_TEMPORAL_KEY_COMMAND=cat "+config.PayloadKeysPath(first.home))...)
	check(t, err)
	door.says(t, "MNEME_LEDGER", "recall", mine, "--project", "commons")
	door.env = append(door.env, "MNEME_LEDGER="+d.Ledger)
	door.finds(t, mine, true)
	door.finds(t, theirs, false)
	door.env = append(door.env, "MNEME_LEDGER=0a1b2c3d-0000-4000-8000-000000000000")
	door.says(t, "no worker of the ledger", "recall", mine, "--project", "commons")

	// Another machine with the first one's ledger shares memories and work.
	third := live(t, "third", append(servers, "MNEME_POSTGRES_URL="+d.Services[homestate.PostgresService].Address,
		"MNEME_TEMPORAL_KEY_COMMAND=cat "+config.PayloadKeysPath(first.home))...)
	third.finds(t, mine, true)
	third.ok(t, "store", late, "--project", "commons")
	first.finds(t, late, true)
	second.finds(t, late, false)
}
