package hook

import (
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/memory"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	got := terms("The API of shop listens on port 8443; set MAX_CONNS=50 in internal/daemon/up.go, see --dry-run and getUser, U+202E", "example.org/shop")
	for _, want := range []string{"8443", "max_conns", "internal/daemon/up.go", "dry-run", "getuser"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, no := range []string{"listens", "port", "shop", "The"} {
		if slices.Contains(got, no) {
			t.Errorf("%q is in %q", no, got)
		}
	}
}

func TestUses(t *testing.T) {
	t.Parallel()
	text := "Payments go through gateway.example.org on port 8443 and are retried at most five times"
	i := session.Injection{ID: idA, Text: text, Terms: terms(text, "")}
	for work, want := range map[string]bool{
		"curl https://gateway.example.org:8443/health":        true,
		"they are retried at most five times, so":             true,
		"as " + idA + " says":                                 true,
		"the port is open":                                    false,
		"curl https://gateway.example.org/health":             false,
		"payments are made, retried and go through the other": false,
		"": false,
	} {
		if uses(strings.ToLower(work), i) != want {
			t.Errorf("%q: used is not %v", work, want)
		}
	}
}

// Each memory that turns up in the work is recorded once.
func TestUseIsRecordedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.client.hits = []memory.Hit{
		{ID: idA, Text: "The staging database runs at db.example.org:5433", Type: "fact", CreatedAt: day(1)},
		{ID: idB, Text: "Releases are tagged v1.2.3 by release-bot", Type: "fact", CreatedAt: day(2)},
	}
	b.run(t, sessionStart, map[string]any{"source": "startup"})
	b.run(t, postToolUse, passing("t1", "psql -h db.example.org:5433 -c 'the staging database runs'", "")) // terms by a tool
	b.run(t, postToolUse, passing("t2", "psql -h db.example.org:5433 again", ""))
	b.run(t, stop, map[string]any{"last_assistant_message": "I checked that releases are tagged v1.2.3 by release-bot."})
	b.run(t, stop, map[string]any{"last_assistant_message": "I checked that releases are tagged v1.2.3 by release-bot."})
	b.deliver(t)
	how := map[string]any{}
	for _, e := range b.client.events {
		if e.Action == memory.ActionUse {
			how[e.MemoryIDs[0]] = e.Details["how"]
		}
	}
	if len(how) != 2 || how[idB] != "answer" {
		t.Errorf("used %v", how)
	}
	if n := len(slices.DeleteFunc(b.actions(), func(a string) bool { return a != memory.ActionUse })); n != 2 {
		t.Errorf("recorded %d times", n)
	}
}
