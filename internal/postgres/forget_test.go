package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

func TestForgetThenPurgeLeavesNoText(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	r := rec(memory.Memories, "My dentist is Dr Xylander.")
	store(t, l, r)
	sync(t, l)
	for _, purge := range []bool{false, true} {
		op := step(memory.ActionForget, map[bool]string{false: "forget", true: "purge"}[purge])
		if _, err := l.Forget(t.Context(), op, []string{r.ID}, purge); err != nil {
			t.Fatal(err)
		}
		h := history(t, l, r.ID)
		if h.Memory.State != memory.Forgotten || h.Memory.Text != "" || h.Memory.ContentHash != r.ContentHash {
			t.Errorf("purge %v: %+v", purge, h.Memory)
		}
		if text := h.Versions[0].After.Text; (text == "") != purge {
			t.Errorf("purge %v: first version says %q", purge, text)
		}
	}
	told := sync(t, l)
	if len(told) != 1 || told[0].State != memory.Forgotten || told[0].IndexedIn != memory.Memories {
		t.Errorf("the index must drop its point: %+v", told)
	}
	if left := dump(t, url); strings.Contains(left, "Xylander") {
		t.Errorf("still there: %s", left)
	}
}

// TestPurgeReachesWhatWasMerged purges a survivor that was forgotten before:
// the texts that were merged into it must go from the history too.
func TestPurgeReachesWhatWasMerged(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	ids := storeAll(t, l, rec(memory.Memories, "My dentist is Dr Xylander."), rec(memory.Memories, "Xylander lives in Bonn.", 0, 1, 0, 0),
		rec(memory.Memories, "Xylander has a dog.", 0, 0, 1, 0))
	survivor := merge(t, l, "m2", merge(t, l, "m1", ids[0], ids[1]).SurvivorID, ids[2]).SurvivorID
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "forget"), []string{survivor}, false); err != nil {
		t.Fatal(err)
	}
	filter := memory.Filter{IDs: []string{survivor}}
	if got, err := l.Select(t.Context(), filter, "", 0); err != nil || len(got) != 0 {
		t.Errorf("a forget selects what is forgotten: %v, %v", got, err)
	}
	filter.Forgotten = true
	got, err := l.Select(t.Context(), filter, "", 0)
	if err != nil || len(got) != 1 {
		t.Fatalf("a purge selects %v, %v", got, err)
	}
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "purge"), got, true); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, url); strings.Contains(left, "Xylander") {
		t.Errorf("still there: %s", left)
	}
}

// dump is all that the tables hold, as text.
func dump(t *testing.T, url string) string {
	t.Helper()
	conn := connect(t, url)
	var all strings.Builder
	for _, table := range []string{"memories", "memory_versions", "memory_links", "memory_audit", "settings"} {
		rows, err := conn.Query(t.Context(), `select x::text from `+table+` x`)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(lines, "\n"))
	}
	return all.String()
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.PgConn().Conn().Close() })
	return conn
}

func TestVersionsAreAppendOnly(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	store(t, l, rec(memory.Memories, "Stays."))
	conn := connect(t, url)
	for _, sql := range []string{`update memory_versions set action = 'x'`, `delete from memory_versions`, `truncate memory_versions`} {
		if _, err := conn.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestForgetTakesWhatWasMerged(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	a, b := rec(memory.Memories, "Xylander one."), rec(memory.Memories, "Xylander two.")
	store(t, l, a)
	b.Vector = memory.Vector{0, 1, 0, 0}
	store(t, l, b)
	g, err := l.Merge(t.Context(), step(memory.ActionMerge, "m"), []string{a.ID, b.ID}, scopeOf(memory.Memories))
	if err != nil || len(g.MergedIDs) != 1 {
		t.Fatalf("%+v, %v", g, err)
	}
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{g.SurvivorID}, true); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, url); strings.Contains(left, "Xylander") {
		t.Errorf("still there: %s", left)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	a, b := rec(memory.Memories, "a"), rec(memory.Learnings, "b", 0, 1, 0, 0)
	a.Tags = []string{"x", "y"}
	store(t, l, a)
	store(t, l, b)
	before := day0
	for name, c := range map[string]struct {
		filter memory.Filter
		want   int
	}{
		"tags":       {memory.Filter{Tags: []string{"x", "y"}}, 1},
		"other tags": {memory.Filter{Tags: []string{"x", "z"}}, 0},
		"project":    {memory.Filter{Project: "p"}, 2},
		"collection": {memory.Filter{Collection: memory.Learnings}, 1},
		"ids":        {memory.Filter{IDs: []string{a.ID}, Project: "q"}, 0},
		"before":     {memory.Filter{Before: &before}, 0},
		"type":       {memory.Filter{Type: memory.TypeFact}, 2},
	} {
		ids, err := l.Select(t.Context(), c.filter, "", 0)
		if err != nil || len(ids) != c.want {
			t.Errorf("%s: %v, %v; want %d", name, ids, err, c.want)
		}
	}
	if _, err := l.Select(t.Context(), memory.Filter{}, "", 0); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("empty filter: %v", err)
	}
}
