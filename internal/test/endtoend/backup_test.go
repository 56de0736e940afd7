package endtoend

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// TestBackup backs up a home with a past, restores it into a new one, after a restore that was
// killed, and compares every table of the two by its digest; then it takes back in the new home what
// was done in the old one.
func TestBackup(t *testing.T) {
	t.Parallel()
	const project = "backup-project"
	stored := func(text string) string {
		var s struct{ ID string }
		decode(t, shared.ok(t, "store", text, "--project", project, "--json"), &s)
		return s.ID
	}
	edited := stored("The nightly build runs at two.")
	linked := stored("Nightly builds are kept for thirty days.")
	forgotten := stored("The old mirror is at mirror.example.org.")
	stored("Deploys are frozen in December.")
	stored("In December, deploys are frozen.")
	shared.ok(t, "edit", edited, "The nightly build runs at three.")
	shared.ok(t, "link", edited, "clarifies", linked)
	shared.ok(t, "forget", forgotten, "--yes")
	file := filepath.Join(t.TempDir(), "home.backup")
	shared.ok(t, "backup", file)
	old := contents(t, file)

	fresh, err := newWorld(filepath.Dir(shared.dir), "restored", shared.bin)
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.up(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := fresh.stop(); err != nil {
			t.Error(err)
		}
		if err := fresh.leftBehind(); err != nil {
			t.Error(err)
		}
	}()
	killedRestore(t, fresh, file)
	fresh.ok(t, "restore-backup", file)
	again := filepath.Join(t.TempDir(), "again.backup")
	fresh.ok(t, "backup", again)
	for name, digest := range contents(t, again) {
		if name != "memory_audit" && digest != old[name] { // the audit has the restore too
			t.Errorf("table %s is another one in the new home", name)
		}
	}
	var report struct {
		Equal       bool
		Collections []struct{ Written, Deleted int }
	}
	decode(t, fresh.ok(t, "rebuild", "--json"), &report)
	for _, c := range report.Collections {
		if !report.Equal || c.Written+c.Deleted > 0 {
			t.Errorf("after the restore index and ledger were not equal: %+v", report)
		}
	}

	exportedInto(t, fresh)
	for _, id := range []string{edited, forgotten} {
		fresh.ok(t, "undo", id, "--yes")
	}
	if text := fresh.ok(t, "get", edited, forgotten); !strings.Contains(text, "runs at two") || !strings.Contains(text, "mirror.example.org") {
		t.Errorf("after the undo there is\n%s", text)
	}
	if text := fresh.ok(t, "related", edited); !strings.Contains(text, "thirty days") {
		t.Errorf("linked is\n%s", text)
	}
	if a := fresh.cli(t, "", "restore-backup", again); a.code != 1 || !strings.Contains(a.stderr, "the home is not empty") {
		t.Errorf("a restore into a home that is in use: %d %s", a.code, a.stderr)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// contents reads a backup file without mneme: the digest of each table is in its last line.
func contents(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return lastLine(t, f)
}

// killedRestore ends a restore with a signal that nobody can catch, at some moment: the home is
// empty afterwards, or whole.
func killedRestore(t *testing.T, w *world, file string) {
	t.Helper()
	cmd := w.command(t.Context(), "mneme", "restore-backup", file)
	cmd.Stdout, cmd.Stderr = w.said, w.said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(60 * time.Millisecond) // about when the rows are written
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, or done before
	var dry struct {
		HomeEmpty bool `json:"home_empty"`
		Already   bool
	}
	decode(t, w.ok(t, "restore-backup", file, "--dry-run", "--json"), &dry)
	if dry.HomeEmpty == dry.Already {
		t.Errorf("after a restore that was killed the home is %+v", dry)
	}
}

// lastLine unpacks a backup and reads the digests.
func lastLine(t *testing.T, packed io.Reader) map[string]string {
	t.Helper()
	in, err := zstd.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last struct {
		End struct{ Tables map[string]string }
	}
	decode(t, lines[len(lines)-1], &last)
	if len(last.End.Tables) == 0 {
		t.Fatalf("the last line is %.200s", lines[len(lines)-1])
	}
	return last.End.Tables
}
