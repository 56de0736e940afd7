package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// TestAuditSettledWaitsForRowsOnTheirWay has a transaction take an id and commit after one that took the
// next id: the later row alone is no settled end.
func TestAuditSettledWaitsForRowsOnTheirWay(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	l := openAt(t, url, day0)
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(t.Context()) }()
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var early int64
	err = tx.QueryRow(t.Context(), `insert into memory_audit ("user", action, "timestamp", project, collection, workflow_id, run_id, step)
values ('', 'slow', now(), 'slow', '', 'w', 'r', 's') returning id`).Scan(&early)
	if err != nil {
		t.Fatal(err)
	}
	store(t, l, rec(memory.Memories, "Committed first."))

	type found struct {
		end int64
		err error
	}
	settled := make(chan found, 1)
	go func() {
		end, err := l.AuditSettled(t.Context(), 0)
		settled <- found{end, err}
	}()
	select {
	case f := <-settled:
		t.Fatalf("settled at %d, %v while row %d is on its way", f.end, f.err, early)
	case <-time.After(100 * time.Millisecond): // five looks
	}
	store(t, l, rec(memory.Memories, "A writer that came later is not waited for."))
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := <-settled
	if f.err != nil || f.end <= early {
		t.Fatalf("settled at %d, %v; want more than %d", f.end, f.err, early)
	}
	rows, err := l.AuditRows(t.Context(), memory.AuditQuery{UpTo: f.end, Limit: 10})
	if err != nil || len(rows) != 2 || rows[0].ID != early {
		t.Errorf("rows %+v, %v", rows, err)
	}
	if again, err := l.AuditSettled(t.Context(), f.end); err != nil || again <= f.end {
		t.Errorf("settled at %d, %v after a third row", again, err)
	}
}

func TestAuditRowsChooses(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	store(t, l, rec(memory.Memories, "Stored without a session."))
	events := []memory.Event{
		{ID: "1", Action: memory.ActionInject, Project: "shop", Session: "s1"},
		{ID: "2", Action: memory.ActionUse, Project: "shop", Session: "s1"},
		{ID: "3", Action: memory.ActionUse, Project: "bank", Session: "s2"},
	}
	if _, err := l.Record(t.Context(), "record/1", events); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		q    memory.AuditQuery
		want string
	}{
		"all":       {memory.AuditQuery{Limit: 9}, "store inject use use"},
		"newest":    {memory.AuditQuery{Limit: 2, Newest: true}, "use use"},
		"nothing":   {memory.AuditQuery{}, ""},
		"action":    {memory.AuditQuery{Limit: 9, Actions: []string{memory.ActionInject}}, "inject"},
		"project":   {memory.AuditQuery{Limit: 9, Project: "bank"}, "use"},
		"session":   {memory.AuditQuery{Limit: 9, Session: "s1"}, "inject use"},
		"no action": {memory.AuditQuery{Limit: 9, Actions: []string{}}, ""},
	} {
		rows, err := l.AuditRows(t.Context(), c.q)
		got := ""
		for i, r := range rows {
			if i > 0 {
				got += " "
			}
			got += r.Action
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
