package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

const ledgerKey = "ledger"

// Identity returns the ledger's name, a UUID that no other ledger has. It is
// made with the ledger and never changes; a copy of the database has the same.
func (l *Ledger) Identity(ctx context.Context) (string, error) {
	if known := l.identity.Load(); known != nil {
		return *known, nil
	}
	const what = "read the ledger's identity"
	var id string
	err := l.again(ctx, what, func() error {
		err := l.pool.QueryRow(ctx, `select value #>> '{}' from settings where key = $1`, ledgerKey).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return memory.Errorf(memory.Internal, `start it with "mneme up" or mneme-worker, which bring it up to date`, "the ledger has no identity")
		}
		return err
	})
	if err != nil {
		return "", err
	}
	l.identity.Store(&id)
	return id, nil
}

// Wrote reports whether the ledger wrote all of these points of an index: ids
// with the content hash that each has there. What has yet to be brought in step
// may have another hash.
func (l *Ledger) Wrote(ctx context.Context, points map[string]string) (bool, error) {
	ids, hashes := make([]string, 0, len(points)), make([]string, 0, len(points))
	for id, hash := range points {
		if !memory.ValidID(id) {
			return false, nil
		}
		ids, hashes = append(ids, id), append(hashes, hash)
	}
	var strange bool
	err := l.again(ctx, "look for points in the ledger", func() error {
		return l.pool.QueryRow(ctx, `select exists (
	select from unnest($1::uuid[], $2::text[]) as p (id, hash) left join memories m on m.id = p.id
	where m.id is null or not m.dirty and m.content_hash <> p.hash)`, ids, hashes).Scan(&strange)
	})
	return err == nil && !strange, err
}

// Run names one run of a workflow.
type Run struct{ WorkflowID, RunID string }

// Ran returns how many of these runs did a step in this ledger.
func (l *Ledger) Ran(ctx context.Context, runs []Run) (int, error) {
	workflows, ids := make([]string, len(runs)), make([]string, len(runs))
	for i, r := range runs {
		workflows[i], ids[i] = r.WorkflowID, r.RunID
	}
	var known int
	err := l.again(ctx, "look for runs in the audit", func() error {
		return l.pool.QueryRow(ctx, `select count(*) from unnest($1::text[], $2::text[]) as r (workflow_id, run_id)
where exists (select from memory_audit a where a.workflow_id = r.workflow_id and a.run_id = r.run_id)`, workflows, ids).Scan(&known)
	})
	return known, err
}
