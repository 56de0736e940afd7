package durability

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// patience is how long a condition may take to come true: the longest wait
// between two tries of a step is 15 s, and the machine may be ten times as busy.
const patience = 4 * time.Minute

// eventually asks until the answer is "", and fails with the last answer
// when it does not come in time.
func eventually(t testing.TB, ask func(ctx context.Context) string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		wrong := ask(ctx)
		if wrong == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("after %s: %s", patience, wrong)
			return
		case <-tick.C:
		}
	}
}

// count runs a query that counts. A connection that was lost in an outage is
// made anew, and a server that is starting again is waited for.
func (e eyes) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	n := -1
	eventually(t, func(ctx context.Context) string {
		err := e.pool.QueryRow(ctx, sql, args...).Scan(&n)
		if err == nil {
			return ""
		}
		e.pool.Reset()
		return fmt.Sprintf("%s: %v", sql, err)
	})
	return n
}

// exec runs a statement.
func (e eyes) exec(t testing.TB, sql string) {
	t.Helper()
	if _, err := e.pool.Exec(t.Context(), sql); err != nil {
		t.Errorf("%s: %v", sql, err)
	}
}

// checkStoredOnce looks for a text that was stored by one workflow, which wrote
// one audit row.
func (e eyes) checkStoredOnce(t testing.TB, what, project, text, workflowID string) {
	t.Helper()
	e.checkStored(t, what, project, text, workflowID)
	if n := e.count(t, `select count(*) from memory_audit where workflow_id = $1 and action = 'store'`, workflowID); n != 1 {
		t.Errorf("%s: %d audit rows of %s, want 1", what, n, workflowID)
	}
}

// checkStored looks for a text: one live memory in the ledger with one version,
// one audit row for it, and its point in the index. Whoever stored it again has
// a row that says "merged".
func (e eyes) checkStored(t testing.TB, what, project, text, workflowID string) {
	t.Helper()
	eventually(t, func(ctx context.Context) string {
		if e.count(t, `select count(*) from memories where project = $1 and text = $2 and state = 'live' and not dirty`, project, text) == 0 {
			return what + ": the text is not in the ledger, or the index is behind"
		}
		return ""
	})
	if n := e.count(t, `select count(*) from memories where project = $1 and state = 'live'`, project); n != 1 {
		t.Errorf("%s: %d live memories, want 1", what, n)
	}
	if n := e.count(t, `select count(*) from memory_audit where workflow_id = $1 and action = 'store' and details #>> '{result,status}' = 'stored'`, workflowID); n != 1 {
		t.Errorf("%s: %d audit rows of %s that say stored, want 1", what, n, workflowID)
	}
	id := memory.StoreInput{Text: text, Project: project, Collection: collection()}.ID()
	if n := e.count(t, `select count(*) from memory_versions where memory_id = $1`, id); n != 1 {
		t.Errorf("%s: %d versions, want 1", what, n)
	}
	e.checkIndexed(t, id)
}

// checkForgottenOnce looks whether a project's only memory is forgotten, in
// ledger and index, with one audit row.
func (e eyes) checkForgottenOnce(t testing.TB, project, text string) {
	t.Helper()
	eventually(t, func(context.Context) string {
		if e.count(t, `select count(*) from memories where project = $1 and state = 'forgotten' and not dirty`, project) != 1 {
			return project + ": the memory is not forgotten, or the index is behind"
		}
		return ""
	})
	id := memory.StoreInput{Text: text, Project: project, Collection: collection()}.ID()
	if n := e.count(t, `select count(*) from memory_audit where $1 = any(affected_ids) and action = 'forget'`, id); n != 1 {
		t.Errorf("%s: %d audit rows, want 1", project, n)
	}
	missing, err := e.index.Missing(t.Context(), collection(), []string{id})
	if err != nil || len(missing) != 1 {
		t.Errorf("%s: still in the index: missing %v, %v", project, missing, err)
	}
}

// checkIndexed looks for the points of memories.
func (e eyes) checkIndexed(t testing.TB, ids ...string) {
	t.Helper()
	missing, err := e.index.Missing(t.Context(), collection(), ids)
	if err != nil || len(missing) > 0 {
		t.Errorf("not in the index: %v, %v", missing, err)
	}
}
