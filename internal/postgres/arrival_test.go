package postgres_test

import (
	"math"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// TestHomesKnowWhenTheirMemoriesArrived upgrades a ledger of the first schema:
// each memory's arrival is taken from its versions, and imports with an old
// date get their lost confidence back.
func TestHomesKnowWhenTheirMemoriesArrived(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	db, old := schemaOf(t, url)
	if _, err := old.UpTo(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	imported, organized := day0.Add(-20*day), day0.Add(-6*day)
	said := imported.AddDate(-3, 0, 0)
	insert := func(r memory.Record, confidence float64, decayed *time.Time, used int) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), `insert into memories (id, collection, project, type, text, vector, confidence, importance, pinned,
access_count, created_at, last_accessed, decayed_at, content_hash, model, dirty) values ($1, $2, 'p', 'fact', $3, '\x00000000', $4, 0.5, false, $5, $6, $6, $7, $8, 'm', false)`,
			r.ID, r.Collection, r.Text, confidence, used, said, decayed, r.ContentHash)
		if err == nil {
			_, err = db.ExecContext(t.Context(), `insert into memory_versions (memory_id, at, action, workflow_id, run_id, step, after)
values ($1, $2, 'import', 'w', 'r', 's', '{"state": "live"}')`, r.ID, imported)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	faded, fresh, used := rec(memory.Memories, "Faded."), rec(memory.Memories, "Fresh."), rec(memory.Memories, "Used.")
	insert(faded, memory.Decay(0.5, organized.Sub(said)), &organized, 0)
	insert(fresh, 0.5, nil, 0)
	insert(used, 0.1, &organized, 3)
	l := openAt(t, url, day0)
	for name, c := range map[string]struct {
		id   string
		want float64
	}{
		"faded": {faded.ID, memory.Decay(0.5, organized.Sub(imported))}, "fresh": {fresh.ID, 0.5}, "used": {used.ID, 0.1},
	} {
		d := get(t, l, c.id)
		if !d.ArrivedAt.Equal(imported) || d.AnnouncedAt != nil || math.Abs(d.Confidence-c.want) > 1e-9 {
			t.Errorf("%s: confidence %v, want %v; arrived %v", name, d.Confidence, c.want, d.ArrivedAt)
		}
	}
}
