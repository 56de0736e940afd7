package endtoend

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestRestoreUnderAnotherModel restores a backup into a home that embeds with another model. The
// vectors are kept as they were backed up, so that nothing is lost when the home changes to the
// model of the backup; until then, or until a rebuild embeds everything anew, recalls go by words,
// and the command says both ways out.
func TestRestoreUnderAnotherModel(t *testing.T) {
	t.Parallel()
	const project = "restored-under-another-model"
	shared.ok(t, "store", "The heron stands in the shallow pond.", "--project", project)
	file := filepath.Join(t.TempDir(), "home.backup")
	shared.ok(t, "backup", file)

	ollama := &models{}
	ollama.dimension.Store(48)
	srv := httptest.NewServer(ollama)
	t.Cleanup(srv.Close)
	w, err := newWorld(filepath.Dir(shared.dir), "othermodel", shared.bin, "MNEME_OLLAMA_URL="+srv.URL, "MNEME_EMBED_MODEL=other-model")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.up(interrupt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		if err := w.leftBehind(); err != nil {
			t.Error(err)
		}
	})
	a := w.cli(t, "", "restore-backup", file)
	for _, want := range []string{"the vectors are of the model mneme-static", "this home uses other-model", "MNEME_EMBED_MODEL=mneme-static", "mneme rebuild"} {
		if a.code != 0 || !strings.Contains(a.stderr, want) {
			t.Errorf("restore: exit %d, without %q\n%s%s", a.code, want, a.stdout, a.stderr)
		}
	}
	again := filepath.Join(t.TempDir(), "again.backup")
	w.ok(t, "backup", again)
	if old, restored := contents(t, file), contents(t, again); old["memories"] != restored["memories"] {
		t.Error("the memories are not those of the backup, vectors included")
	}
	recall := func(when string) answer {
		t.Helper()
		a := w.cli(t, "", "recall", "--project", project, "where does the heron stand?")
		if a.code != 0 || !strings.Contains(a.stdout, "shallow pond") {
			t.Errorf("%s: recall exit %d\n%s%s", when, a.code, a.stdout, a.stderr)
		}
		return a
	}
	if a := recall("by words"); !strings.Contains(a.stderr, "mneme rebuild") {
		t.Errorf("a recall by words alone does not say so: %s", a.stderr)
	}
	var report struct{ Equal bool }
	decode(t, w.ok(t, "rebuild", "--json"), &report)
	if a := recall("after the rebuild"); !report.Equal || strings.Contains(a.stderr, "mneme rebuild") {
		t.Errorf("after the rebuild: %+v, %s", report, a.stderr)
	}
}
