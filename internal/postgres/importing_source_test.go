package postgres_test

import (
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// from is a record that came from a place.
func from(ref, text string) memory.Record {
	r := rec(memory.Memories, text)
	r.SourceRef = ref
	return r
}

// importFrom imports records as a change of its own.
func importFrom(t *testing.T, l *postgres.Ledger, workflow string, was map[string]string, recs ...memory.Record) memory.Imported {
	t.Helper()
	done, err := l.Import(t.Context(), changeOp(memory.ActionImport, workflow), recs, was)
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.Import(t.Context(), changeOp(memory.ActionImport, workflow), recs, was)
	if err != nil || !sameIDs(done, again) {
		t.Fatalf("tried again: %+v, at first %+v, %v", again, done, err)
	}
	return done
}

func sameIDs(a, b memory.Imported) bool {
	return slices.Equal(a.Stored, b.Stored) && slices.Equal(a.Existing, b.Existing) &&
		slices.Equal(a.Updated, b.Updated) && slices.Equal(a.Forgotten, b.Forgotten)
}

func TestImportTakesThePlaceOfItsSource(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	one, two := from("file:a.md#One", "The port is 80."), from("file:a.md#Two", "The disk is full.")
	importFrom(t, l, "import/1", nil, one, two)
	newer := from("file:a.md#One", "The port is 81.")
	newer.Tags = []string{"net"}
	done := importFrom(t, l, "import/2", nil, newer, two)
	if !slices.Equal(done.Updated, []string{one.ID}) || len(done.Existing) != 1 || len(done.Stored)+len(done.Forgotten) > 0 {
		t.Fatalf("%+v", done)
	}
	if m := get(t, l, one.ID); m.Text != newer.Text || !slices.Equal(m.Tags, []string{"net"}) || m.SourceRef != newer.SourceRef {
		t.Errorf("in place: %+v", m)
	}
	// The same place in another project is another place.
	other := newer
	other.Project, other.ID = "elsewhere", memory.NewID("elsewhere", memory.Memories, newer.Text)
	if done := importFrom(t, l, "import/3", nil, other); len(done.Stored) != 1 {
		t.Errorf("another project: %+v", done)
	}
}

func TestImportMovesAndSwaps(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	one, two := from("file:a.md#One", "The port is 80."), from("file:a.md#Two", "The disk is full.")
	importFrom(t, l, "import/1", nil, one, two)
	moved := from("file:b.md#One", one.Text)
	if done := importFrom(t, l, "import/2", map[string]string{moved.ID: one.SourceRef}, moved); !slices.Equal(done.Updated, []string{one.ID}) {
		t.Fatalf("moved: %+v", done)
	}
	if m := get(t, l, one.ID); m.SourceRef != "file:b.md#One" {
		t.Errorf("moved: %+v", m)
	}
	importFrom(t, l, "import/3", map[string]string{one.ID: moved.SourceRef}, one)
	// Each says now what the other said: nothing may be lost.
	importFrom(t, l, "import/4", nil, from("file:a.md#One", two.Text), from("file:a.md#Two", one.Text))
	found, err := l.Records(t.Context(), memory.Page{FromRef: "file:a.md#", Limit: 10})
	if err != nil || len(found) != 2 {
		t.Fatalf("%d memories, %v", len(found), err)
	}
	for _, m := range found {
		if want := map[string]string{"file:a.md#One": two.Text, "file:a.md#Two": one.Text}[m.SourceRef]; m.Text != want {
			t.Errorf("%s says %q, want %q", m.SourceRef, m.Text, want)
		}
	}
}

func TestImportGivesWayToWhatWasStoredByHand(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	by := rec(memory.Memories, "The port is 81.")
	store(t, l, by)
	one := from("file:a.md#One", "The port is 80.")
	importFrom(t, l, "import/1", nil, one)
	done := importFrom(t, l, "import/2", nil, from("file:a.md#One", by.Text))
	if !slices.Equal(done.Existing, []string{by.ID}) || !slices.Equal(done.Forgotten, []string{one.ID}) {
		t.Fatalf("%+v", done)
	}
	if get(t, l, by.ID).SourceRef != "" || get(t, l, one.ID).State != memory.Forgotten {
		t.Error("the memory that was stored by hand must stay as it is, the other one goes")
	}
}

func TestImportOfAnotherTypeIsAnotherMemory(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	one := from("file:a.md#One", "Run make test.")
	importFrom(t, l, "import/1", nil, one)
	proc := from("file:a.md#One", one.Text)
	proc.Collection, proc.Type = memory.Procedures, memory.TypeProcedure
	proc.ID = memory.NewID(proc.Project, proc.Collection, proc.Text)
	done := importFrom(t, l, "import/2", nil, proc)
	if !slices.Equal(done.Stored, []string{proc.ID}) || !slices.Equal(done.Forgotten, []string{one.ID}) {
		t.Errorf("%+v", done)
	}
}

// TestImportKeepsWhatWasMergedIn does not take a text away that a memory of a place holds
// for another one.
func TestImportKeepsWhatWasMergedIn(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	one, two := from("file:a.md#One", "The port is 80."), from("file:a.md#Two", "The disk is full.")
	importFrom(t, l, "import/1", nil, one, two)
	if _, err := l.Fold(t.Context(), changeOp(memory.ActionMerge, "merge/1"), []string{one.ID, two.ID}); err != nil {
		t.Fatal(err)
	}
	done := importFrom(t, l, "import/2", nil, one, two)
	if len(done.Existing) != 2 {
		t.Errorf("after a merge: %+v", done)
	}
}

func TestUndoOfAnImportFromASource(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	if err := l.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	one, two := from("file:a.md#One", "The port is 80."), from("file:a.md#Two", "The disk is full.")
	importFrom(t, l, "import/1", nil, one, two)
	before := everything(t, url)
	importFrom(t, l, "import/2", nil, from("file:a.md#One", "The port is 81."), from("file:a.md#Three", "The fan is loud."))
	op := changeOp(memory.ActionImport, "import/2")
	op.Step = "batch/1/gone"
	if _, err := l.Forget(t.Context(), op, []string{two.ID}, false); err != nil {
		t.Fatal(err)
	}
	page, _ := undoChange(t, l, "import/2", "undo/1")
	if len(page.IDs) != 3 || len(page.Left) > 0 {
		t.Errorf("undone: %+v", page)
	}
	after := everything(t, url)
	for id, was := range before {
		if after[id] != was {
			t.Errorf("%s is\n%s\nwas\n%s", id, after[id], was)
		}
	}
}
