package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// exportedRec is a record as an import makes it of a line of an export.
func exportedRec(t *testing.T, text string, now time.Time, x memory.Exported, change func(*memory.StoreInput)) memory.Record {
	t.Helper()
	created := now.Add(-30 * day).Truncate(time.Microsecond)
	in := memory.StoreInput{Text: text, Project: "p", CreatedAt: &created, Exported: &x}
	if change != nil {
		change(&in)
	}
	in, err := in.Clean()
	if err != nil {
		t.Fatal(err)
	}
	return memory.Record{Memory: in.Memory(now, model), Vector: memory.Vector{1, 0, 0, 0}, Exported: in.Exported}
}

func importAll(t *testing.T, l *postgres.Ledger, name string, recs ...memory.Record) memory.Imported {
	t.Helper()
	done, err := l.Import(t.Context(), step(memory.ActionImport, name), recs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// exportOf is a record as an import of what the ledger has now would bring it.
func exportOf(t *testing.T, l *postgres.Ledger, id string) memory.Record {
	t.Helper()
	d := get(t, l, id)
	updated := d.CreatedAt
	if d.UpdatedAt != nil {
		updated = *d.UpdatedAt
	}
	return memory.Record{Memory: d.Memory, Vector: memory.Vector{1, 0, 0, 0}, Exported: &memory.Exported{
		ID: d.ID, Confidence: d.Confidence, AccessCount: d.AccessCount, Confirmations: d.Confirmations, Source: d.Source,
		LastAccessed: &d.LastAccessed, ArrivedAt: &d.ArrivedAt, UpdatedAt: &updated, DecayedAt: d.DecayedAt, ExpiresAt: d.ExpiresAt,
	}}
}

// TestImportKeepsWhatAnExportSays imports random memories of an export: all that it says is there, and
// the same export a second time, or after changes here, changes nothing.
func TestImportKeepsWhatAnExportSays(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	l := openAt(t, testkit.Schema(t, server), now)
	r := rand.New(rand.NewPCG(7, 7))
	at := func() *time.Time {
		x := now.Add(-time.Duration(r.Int64N(int64(900 * day)))).Truncate(time.Microsecond).UTC()
		return &x
	}
	var recs []memory.Record
	for i := range 100 {
		x := memory.Exported{
			ID: memory.NewID("elsewhere", "", fmt.Sprint(i)), Confidence: r.Float64(), AccessCount: r.IntN(99), Confirmations: r.IntN(9),
			LastAccessed: at(), ArrivedAt: at(), UpdatedAt: at(), DecayedAt: at(), Source: memory.SourceHook,
		}
		if i%2 == 0 {
			x.ExpiresAt = at()
		}
		recs = append(recs, exportedRec(t, fmt.Sprintf("Valve %d is open.", i), now, x, func(in *memory.StoreInput) {
			in.Pinned, in.Tags, in.Collection = i%3 == 0, []string{"valve"}, memory.Collections()[i%7]
		}))
	}
	if done := importAll(t, l, "first", recs...); len(done.Stored) != len(recs) {
		t.Fatalf("stored %d", len(done.Stored))
	}
	compare := func() {
		t.Helper()
		for _, want := range recs {
			got := exportOf(t, l, want.ID)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	compare()
	for i := range recs { // the same text again, more sure of itself
		again := *recs[i].Exported
		again.Confidence, again.AccessCount = 1, 1000
		recs[i].Exported = &again
	}
	if done := importAll(t, l, "again", recs...); len(done.Existing) != len(recs) {
		t.Errorf("again: %d stored, %d changed, %d existing", len(done.Stored), len(done.Updated), len(done.Existing))
	}
	for i := range recs {
		recs[i] = exportOf(t, l, recs[i].ID)
		if recs[i].Confidence == 1 || recs[i].AccessCount == 1000 {
			t.Fatal("an import of what is here raised its counters")
		}
	}
}

// TestImportOntoChanges imports an export onto memories that are something else now.
func TestImportOntoChanges(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(time.Hour)
	l := openAt(t, testkit.Schema(t, server), now)
	x := memory.Exported{ID: memory.NewID("elsewhere", "", "1"), Confidence: 0.7, AccessCount: 5}
	old := exportedRec(t, "The tank holds 40 litres.", now, x, nil)
	importAll(t, l, "old", old)
	text := "The tank holds 60 litres."
	if _, err := l.Update(t.Context(), step(memory.ActionUpdate, "edit"), memory.UpdateInput{ID: x.ID, Text: &text}, memory.Vector{0, 1, 0, 0}, model); err != nil {
		t.Fatal(err)
	}
	mine := exportOf(t, l, x.ID)
	if done := importAll(t, l, "older", old); len(done.Kept) != 1 || get(t, l, x.ID).Text != text {
		t.Errorf("an older version: %+v, %s", done, get(t, l, x.ID).Text)
	}
	later := now.Add(-time.Minute)
	x.UpdatedAt, x.Confidence, x.AccessCount = &later, 0.9, 50
	newest := exportedRec(t, "The tank holds 80 litres.", now, x, func(in *memory.StoreInput) { in.Pinned = true })
	if done := importAll(t, l, "newer", newest); len(done.Updated) != 1 {
		t.Errorf("a newer version: %+v", done)
	}
	if d := get(t, l, x.ID); d.Text != newest.Text || !d.Pinned || d.Confidence != mine.Confidence || d.AccessCount != 5 || !d.UpdatedAt.Equal(later.Truncate(time.Microsecond)) {
		t.Errorf("the newer version became %+v", d)
	}
	for name, r := range map[string]memory.Record{"newer": newest, "older": old} {
		if done := importAll(t, l, name+" again", r); len(done.Updated)+len(done.Stored) > 0 {
			t.Errorf("the %s version again: %+v", name, done)
		}
	}

	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{x.ID}, false); err != nil {
		t.Fatal(err)
	}
	if done := importAll(t, l, "gone", newest); len(done.Stored) != 1 || get(t, l, x.ID).Text != newest.Text || get(t, l, x.ID).Confidence != 0.9 {
		t.Errorf("what was forgotten did not come back: %+v", done)
	}
	stranger := exportedRec(t, "The tank is blue.", now, x, func(in *memory.StoreInput) { in.Project = "q" })
	if done := importAll(t, l, "stranger", stranger); len(done.Stored) != 1 || done.Stored[0] == x.ID || get(t, l, x.ID).Text != newest.Text {
		t.Errorf("the id of a memory of another project: %+v", done)
	}
	future := now.AddDate(50, 0, 0)
	x.ID, x.UpdatedAt, x.ArrivedAt, x.LastAccessed = memory.NewID("elsewhere", "", "2"), &future, &future, &future
	importAll(t, l, "future", exportedRec(t, "The clock was wrong.", now, x, nil))
	if d := get(t, l, x.ID); d.UpdatedAt.After(now) || d.ArrivedAt.After(now) || d.LastAccessed.After(now) {
		t.Errorf("dates after now were kept: %+v", d)
	}
}

// TestImportLinks adds the links of an export between what is here.
func TestImportLinks(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a, b := rec(memory.Memories, "The pump leaks."), rec(memory.Memories, "The seal is old.")
	store(t, l, a)
	store(t, l, b)
	end := func(id, text string) memory.LinkEnd {
		return memory.LinkEnd{ID: id, Project: "p", Collection: memory.Memories, Hash: memory.ContentHash(text)}
	}
	unknown := memory.NewID("elsewhere", "", "x")
	at := day0.Add(-day)
	links := []memory.ExportedLink{
		{Source: end(a.ID, a.Text), Target: memory.LinkEnd{ID: b.ID}, Type: memory.LinkBuildsOn, CreatedAt: &at},
		{Source: end(unknown, b.Text), Target: end(a.ID, ""), Type: memory.LinkClarifies}, // known by its text
		{Source: end(a.ID, a.Text), Target: end(unknown, "Nobody said this."), Type: memory.LinkClarifies},
	}
	for i, want := range []memory.ImportedLinks{{Added: 2, Without: 1}, {There: 2, Without: 1}} {
		done, err := l.ImportLinks(t.Context(), step(memory.ActionImport, fmt.Sprint("links/", i)), links)
		if err != nil || done != want {
			t.Errorf("%+v, %v", done, err)
		}
	}
	got := get(t, l, a.ID).Links
	if len(got) != 2 || !got[0].CreatedAt.Equal(at) || got[0].TargetID != b.ID || got[1].SourceID != b.ID {
		t.Errorf("links %+v", got)
	}
}
