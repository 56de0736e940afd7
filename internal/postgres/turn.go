package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// TakeTurn implements activities.Planner.
func (l *Ledger) TakeTurn(ctx context.Context, workflowID, over string) (string, error) {
	var holder string
	err := l.tx(ctx, "take the turn to organize", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into organize_turn (workflow_id) values ($1)
on conflict (one) do update set workflow_id = excluded.workflow_id where organize_turn.workflow_id = $2`, workflowID, over); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select workflow_id from organize_turn`).Scan(&holder)
	})
	return holder, err
}
