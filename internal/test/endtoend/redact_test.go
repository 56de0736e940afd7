package endtoend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/memory"
)

// TestStoredIsRedacted stores words, and a rule that forbids them comes later. After "mneme redact" no file of the
// home holds them, and the memory has its id and its link.
func TestStoredIsRedacted(t *testing.T) {
	t.Parallel()
	w := live(t, "redact")
	const word = "WOLPERTINGER-48151623"
	store := func(text string, tags ...string) string {
		var m struct{ ID string }
		check(t, json.Unmarshal([]byte(w.ok(t, append([]string{"store", "--json", "--project", "p", text}, tags...)...)), &m))
		return m.ID
	}
	id, other := store("the vault of "+word+" opens at noon", "--tags", "vault"), store("the tests need PostgreSQL")
	w.ok(t, "link", id, "builds_on", other)
	w.ok(t, "recall", "which vault opens at noon", "--project", "p")
	w.ok(t, "pin-question", "when does "+word+" open?", "--project", "p", "--expect", id)
	check(t, hooklog.Append(w.home, hooklog.Entry{Event: "Stop", Outcome: hooklog.Failed, Detail: "could not find " + word}))
	check(t, os.MkdirAll(filepath.Join(w.dir, "user", ".claude"), 0o700))
	check(t, os.WriteFile(filepath.Join(w.dir, "user", ".claude", "CLAUDE.md"), []byte("## Privacy rules\n- codename: `WOLPERTINGER-\\d+`\n"), 0o600))
	needles := needlesOf("codename", word)
	if found, err := search(needles, w.home); err != nil || len(found) == 0 {
		t.Fatalf("nothing holds the word before: %v", err)
	}
	if dry := w.ok(t, "redact", "--dry-run"); !strings.Contains(dry, "would redact 1 memory: codename 1") {
		t.Errorf("the dry run says %s", dry)
	}
	var out memory.RedactReport
	check(t, json.Unmarshal([]byte(w.ok(t, "redact", "--yes", "--json")), &out))
	if out.Memories != 1 || out.Purge.Questions != 1 || out.Purge.LogLines != 1 || out.Purge.Histories == 0 {
		t.Errorf("%+v, %+v", out, out.Purge)
	}
	if found, err := search(needles, w.home); err != nil || len(found) > 0 {
		t.Errorf("after the redaction: %s, %v", joined(found), err)
	}
	if shown := w.ok(t, "show", id, "--json"); !strings.Contains(shown, "[redacted:codename:") || !strings.Contains(shown, other) {
		t.Errorf("the memory is %s", shown)
	}
	w.ok(t, "redact", "--verify", out.Purge.Receipt)
	if a := w.cli(t, "", "redact", "--dry-run"); a.code != 3 {
		t.Errorf("a second dry run: exit %d, %s%s", a.code, a.stdout, a.stderr)
	}
}
