package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// candidateText is how much of a text tells one memory from another, in characters.
const candidateText = 60

// Resolve implements [activities.Reader].
func (l *Ledger) Resolve(ctx context.Context, refs []string) ([]memory.Candidates, error) {
	const what = "find memories by the beginning of their ids"
	var out []memory.Candidates
	err := l.again(ctx, what, func() (err error) {
		out, err = candidates(ctx, l.pool, refs)
		return err
	})
	return out, err
}

// resolved returns the id that a reference means.
func resolved(ctx context.Context, tx pgx.Tx, ref string) (string, error) {
	if memory.ValidID(ref) {
		return ref, nil
	}
	found, err := candidates(ctx, tx, []string{ref})
	if err != nil {
		return "", err
	}
	ids, err := memory.Resolve([]string{ref}, found, true)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// candidates reads ranges of ids from the primary key, which is quick however
// many memories there are.
func candidates(ctx context.Context, q querier, refs []string) ([]memory.Candidates, error) {
	out := make([]memory.Candidates, 0, len(refs))
	for _, ref := range refs {
		first, last, err := memory.IDRange(ref)
		if err != nil {
			return nil, err
		}
		rows, err := q.Query(ctx, `select id, state, left(text, $3) from memories
where id between $1 and $2 order by id limit $4`, first, last, candidateText, memory.MaxCandidates)
		if err != nil {
			return nil, err
		}
		found, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (memory.Memory, error) {
			var m memory.Memory
			return m, r.Scan(&m.ID, &m.State, &m.Text)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, memory.Candidates{Ref: ref, Memories: found})
	}
	return out, nil
}
