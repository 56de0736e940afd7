package endtoend

import (
	"path/filepath"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/testkit/pki"
	"github.com/mneme-memory/mneme/workflows"
)

// TestServersBehindTLS has Temporal and Qdrant let in only who shows a
// certificate. With the settings everything works; without them every door
// names the refusal.
func TestServersBehindTLS(t *testing.T) {
	t.Parallel()
	const key = "the key of the index"
	ours, theirs := pki.New(t), pki.New(t)
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	server, err := temporal.Start(t.Context(), temporal.Options{
		Dir: t.TempDir(), Namespace: "behind", SearchAttributes: attributes, Headless: true,
	})
	check(t, err)
	t.Cleanup(func() { check(t, server.Stop()) })
	index, err := qdrant.Start(t.Context(), qdrant.Options{Dir: t.TempDir(), APIKey: key})
	check(t, err)
	t.Cleanup(func() { check(t, index.Stop()) })

	w, err := newWorld(filepath.Dir(shared.dir), "tls", shared.bin,
		"MNEME_TEMPORAL_ADDRESS="+ours.Front(t, server.Addr()), "MNEME_TEMPORAL_NAMESPACE=behind",
		"MNEME_TEMPORAL_TLS=true", "MNEME_TEMPORAL_TLS_CA="+ours.CA, "MNEME_TEMPORAL_TLS_CERT="+ours.Cert, "MNEME_TEMPORAL_TLS_KEY="+ours.Key,
		"MNEME_QDRANT_ADDRESS="+ours.Front(t, index.Addr()), "MNEME_QDRANT_API_KEY="+key,
		"MNEME_QDRANT_TLS=true", "MNEME_QDRANT_TLS_CA="+ours.CA, "MNEME_QDRANT_TLS_CERT="+ours.Cert, "MNEME_QDRANT_TLS_KEY="+ours.Key)
	check(t, err)
	check(t, w.up(t.Context()))
	running := true
	stop := func() {
		if running {
			running = false
			check(t, w.stop())
		}
	}
	t.Cleanup(func() { stop(); check(t, w.leftBehind()) })
	w.ok(t, "store", "The gateway wants a client certificate.", "--project", "tls")
	if out := w.ok(t, "recall", "what does the gateway want", "--project", "tls"); !strings.Contains(out, "client certificate") {
		t.Errorf("recalled %s", out)
	}
	if out := w.ok(t, "doctor"); strings.Contains(out, key) {
		t.Errorf("the doctor tells the key:\n%s", out)
	}
	for setting, says := range map[string]string{
		"MNEME_TEMPORAL_TLS_CA=" + theirs.CA: "unknown authority",
		"MNEME_TEMPORAL_TLS_CA=/none":        "/none",
		"MNEME_TEMPORAL_TLS=false":           "has no effect without TLS",
	} {
		other := *w
		other.env = append(other.env[:len(other.env):len(other.env)], setting)
		a := other.cli(t, "", "recall", "what does the gateway want", "--project", "tls")
		if a.code == 0 || !strings.Contains(a.stderr, says) {
			t.Errorf("%s: exit %d, %s", setting, a.code, a.stderr)
		}
	}
	stop()
	w.env = append(w.env, "MNEME_QDRANT_TLS_CA="+theirs.CA)
	a := w.cli(t, "", "up", "--detach")
	running = a.code == readyBut
	if !running || !strings.Contains(a.stdout, "unknown authority") {
		t.Errorf("up with an index that nobody vouches for: exit %d, %s%s", a.code, a.stdout, a.stderr)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
