package purge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/memory"
)

// told are histories as a test says them.
type told struct {
	runs    map[Run]string
	deleted []string
	refuses bool
}

func (h *told) Runs(_ context.Context, each func(Run) error) error {
	for run := range h.runs {
		if err := each(run); err != nil {
			return err
		}
	}
	return nil
}

func (h *told) Read(_ context.Context, run Run, look func([]byte)) error {
	look([]byte(h.runs[run]))
	return nil
}

func (h *told) Texts(_ context.Context, run Run, look func(string)) error {
	look(h.runs[run])
	return nil
}

func (h *told) Delete(_ context.Context, run Run) error {
	if h.refuses {
		return memory.Refusal("Temporal", "", os.ErrPermission)
	}
	delete(h.runs, run)
	h.deleted = append(h.deleted, run.WorkflowID)
	return nil
}

// texts hands out what the ledger holds.
func texts(all ...memory.LedgerText) func(context.Context, func(memory.LedgerText)) error {
	return func(_ context.Context, look func(memory.LedgerText)) error {
		for _, t := range all {
			look(t)
		}
		return nil
	}
}

const (
	idA   = "0e5a6a4e-0000-8000-8000-00000000000a"
	idB   = "1b7c0d2f-0000-8000-8000-00000000000b"
	textA = "The zanzibar gateway speaks only on tuesdays, and the keeper of the lantern knows why."
	textB = "The zanzibar gateway speaks only on tuesdays, but nobody listens to what is said there."
)

func noted(t *testing.T, k *Keeper, list ...memory.PurgedText) string {
	t.Helper()
	path, err := k.Note("forget/x-1", "me", 0, []string{idA}, list)
	check(t, err)
	return path
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

// A page is noted once: when the worker of the first try was killed, the texts may be gone by the second.
func TestNoteOnce(t *testing.T) {
	t.Parallel()
	k := &Keeper{Home: t.TempDir(), Histories: &told{}}
	path := noted(t, k, memory.PurgedText{ID: idA, Text: textA}, memory.PurgedText{ID: idA, Text: "vim"})
	noted(t, k)
	report, err := k.Search(t.Context(), path, true, nil, texts(), func() {})
	check(t, err)
	if report.Texts != 2 || report.Short != 1 || !report.Clean() || report.Places[2].Count < 2 {
		t.Errorf("%+v", report)
	}
	raw, err := os.ReadFile(path)
	check(t, err)
	if strings.Contains(string(raw), idA) || strings.Contains(string(raw), "zanzibar") {
		t.Error("the receipt tells what it must not")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// A receipt cannot be read in another home, and a receipt that was changed is refused.
	other := &Keeper{Home: t.TempDir(), Histories: &told{}}
	if _, err := other.Search(t.Context(), path, false, nil, texts(), func() {}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("another home: %v", err)
	}
	write(t, path, strings.Replace(string(raw), `"sealed": "`, `"sealed": "AA`, 1))
	if _, err := k.Search(t.Context(), path, false, nil, texts(), func() {}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a changed receipt: %v", err)
	}
	for _, bad := range []string{"", "{}", "[]", `{"name":"x","sealed":"AA=="}`} {
		write(t, path, bad)
		if _, err := k.Search(t.Context(), path, false, nil, texts(), func() {}); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := k.Search(t.Context(), filepath.Join(k.Home, "none"), false, nil, texts(), func() {}); memory.CodeOf(err) != memory.NotFound {
		t.Error(err)
	}
}

// TestCleanAndSearch goes through all that lies beside ledger and index.
func TestCleanAndSearch(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	h := &told{runs: map[Run]string{
		{"store/a", "1", false}: `{"text":"` + textA + `"}`, {"recall/b", "2", false}: "hits: " + textA[45:], {"import/c", "3", true}: textA, {"store/d", "4", false}: textB,
	}}
	compacted := 0
	k := &Keeper{Home: home, Histories: h, CompactIndex: func(context.Context) error { compacted++; return nil }}
	path := noted(t, k, memory.PurgedText{ID: idA, Text: textA})
	write(t, filepath.Join(home, "spool", "aa.json"), `{"store":{"text":"`+textA+`"}}`)
	write(t, filepath.Join(home, "spool", "bb.json"), `{"store":{"text":"`+textB+`"}}`)
	write(t, filepath.Join(home, "spool", ".aa.json123"), `{"store":{"text":"`+textA)
	write(t, filepath.Join(home, "logs", "mneme.log"), "before\n"+textA+"\nafter")
	write(t, filepath.Join(home, "qdrant", "c-x", "points.log.torn"), "\x00\x01"+textA)
	write(t, filepath.Join(home, "qdrant", "c-y", "points.log.torn"), "\x00\x01"+textB)
	write(t, filepath.Join(home, "mine.txt"), strings.ToUpper(textA))
	check(t, session.Open(home).Update(t.Context(), "s", func(s *session.State) error {
		s.Show(session.Injection{ID: idA, Text: "short"}, session.Injection{ID: idB, Text: textB})
		s.Fail(session.Failure{Command: "echo " + textA})
		return nil
	}))
	stays := texts(memory.LedgerText{Place: memory.PlaceMemory, ID: idB, Text: textB})
	check(t, k.Mark(t.Context(), path, stays))
	check(t, k.Clean(t.Context(), path, "clean"))
	deleted, open, err := k.Forget(t.Context(), path, "forget", func() {})
	check(t, err)
	if deleted != 2 || len(open) != 1 || open[0] != "import/c" || len(h.runs) != 2 {
		t.Errorf("deleted %d, open %v, left %v", deleted, open, h.runs)
	}
	check(t, k.Compact(t.Context(), path, func(context.Context, bool) ([]memory.Unreached, error) {
		return []memory.Unreached{{What: "archives"}}, nil
	}))
	report, err := k.Search(t.Context(), path, true, nil, stays, func() {})
	check(t, err)
	var places []string
	for _, f := range report.Found {
		places = append(places, f.Place)
	}
	if strings.Join(places, " ") != "Temporal, history of import/c "+filepath.Join(home, "mine.txt") || !report.Found[1].Whole {
		t.Errorf("found in %q", places)
	}
	if report.Spooled != 2 || report.Sessions != 1 || report.LogLines != 1 || report.Files != 1 || report.Histories != 2 || compacted != 1 ||
		len(report.Kept) != 1 || report.Kept[0] != idB || len(report.Unreached) != 1 {
		t.Errorf("%+v", report)
	}
	if log, err := os.ReadFile(filepath.Join(home, "logs", "mneme.log")); err != nil || string(log) != "before\n"+strings.Repeat(" ", len(textA))+"\nafter" {
		t.Errorf("%q, %v", log, err)
	}
	if state, _, err := session.Open(home).Get("s"); err != nil || len(state.Injected) != 1 || state.Injected[0].ID != idB || len(state.Failures) != 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

// A text that another memory has as a whole is not gone, and nobody says that it is.
func TestAnotherMemoryHoldsTheText(t *testing.T) {
	t.Parallel()
	k := &Keeper{Home: t.TempDir(), Histories: &told{}}
	path := noted(t, k, memory.PurgedText{ID: idA, Text: textA})
	stays := texts(memory.LedgerText{Place: memory.PlaceMemory, ID: idB, Text: "As we know: " + textA})
	check(t, k.Mark(t.Context(), path, stays))
	report, err := k.Search(t.Context(), path, true, nil, stays, func() {})
	check(t, err)
	if report.Clean() || !strings.Contains(report.Found[0].Place, idB) || !report.Found[0].Whole {
		t.Errorf("%+v", report)
	}
}

// A Temporal server that refuses to delete histories does not stop a purge; the report names the
// histories that still hold a text.
func TestHistoriesThatStay(t *testing.T) {
	t.Parallel()
	k := &Keeper{Home: t.TempDir(), Histories: &told{refuses: true, runs: map[Run]string{{"store/a", "1", false}: textA}}}
	path := noted(t, k, memory.PurgedText{ID: idA, Text: textA})
	if n, open, err := k.Forget(t.Context(), path, "forget", func() {}); n != 0 || len(open) != 0 || err != nil {
		t.Errorf("%d, %v, %v", n, open, err)
	}
	report, err := k.Search(t.Context(), path, true, nil, texts(), func() {})
	check(t, err)
	if report.Clean() || !strings.Contains(report.Found[0].Hint, "retention") {
		t.Errorf("%+v", report)
	}
}
