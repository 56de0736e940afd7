package endtoend

import (
	"crypto/sha256"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// exportedInto exports a project of the shared home and imports it into another home, twice, and
// compares each memory by the hash of its line: text, fields, counters, dates and links.
func exportedInto(t *testing.T, other *world) {
	t.Helper()
	const project = "export-project"
	ids := make([]string, 3)
	for i, args := range [][]string{
		{"The kiln is fired on Mondays.", "--type", "procedure", "--tags", "kiln,week", "--importance", "0.9"},
		{"The glaze needs two coats.", "--pin", "--session", "pottery"},
		{"Bowls shrink by a tenth.", "--collection", "short_term_memory"},
	} {
		var s struct{ ID string }
		decode(t, shared.ok(t, append([]string{"store", "--project", project, "--json"}, args...)...), &s)
		ids[i] = s.ID
	}
	shared.ok(t, "store", "The glaze needs two coats.", "--project", project) // confirms it
	shared.ok(t, "recall", "how often is the kiln fired?", "--project", project)
	shared.ok(t, "edit", ids[0], "The kiln is fired on Tuesdays.")
	shared.ok(t, "link", ids[0], "builds_on", ids[1])
	shared.ok(t, "link", ids[2], "contradicts", ids[0])

	file := filepath.Join(t.TempDir(), "export.jsonl")
	shared.ok(t, "export", "--project", project, "-o", file)
	before := linesByID(t, shared.ok(t, "export", "--project", project))
	if len(before) != 3 {
		t.Fatalf("exported %d memories", len(before))
	}
	var first, again struct{ Stored, Existing, Updated, Kept, Linked, Unlinked int }
	decode(t, other.ok(t, "import", file, "--json"), &first)
	if first.Stored != 3 || first.Linked != 2 || first.Unlinked != 0 {
		t.Errorf("imported %+v", first)
	}
	compareLines(t, before, other.ok(t, "export", "--project", project))
	decode(t, other.ok(t, "import", file, "--json"), &again)
	if again.Existing != 3 || again.Stored+again.Updated+again.Kept+again.Linked > 0 {
		t.Errorf("imported again: %+v", again)
	}
	compareLines(t, before, other.ok(t, "export", "--project", project))

	// What was changed since stays; and it comes when it is the newer version.
	other.ok(t, "edit", ids[1], "The glaze needs three coats.")
	decode(t, other.ok(t, "import", file, "--json"), &again)
	if again.Kept != 1 || again.Existing != 2 {
		t.Errorf("imported onto what was changed: %+v", again)
	}
	back := filepath.Join(t.TempDir(), "back.jsonl")
	other.ok(t, "export", "--project", project, "-o", back)
	decode(t, shared.ok(t, "import", back, "--json"), &again)
	if text := shared.ok(t, "get", ids[1]); again.Updated != 1 || again.Existing != 2 || !strings.Contains(text, "three coats") {
		t.Errorf("the newer version did not come: %+v\n%s", again, text)
	}
}

// linesByID hashes each line of an export, by the memory's id.
func linesByID(t *testing.T, export string) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	for line := range strings.Lines(export) {
		var m struct{ ID string }
		decode(t, line, &m)
		out[m.ID] = sha256.Sum256([]byte(strings.TrimSpace(line)))
	}
	return out
}

func compareLines(t *testing.T, want map[string][32]byte, export string) {
	t.Helper()
	if got := linesByID(t, export); !maps.Equal(got, want) {
		t.Errorf("another home has other memories than were exported:\n%s", export)
	}
}
