package postgres

import (
	"context"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// eventWorkflow stands in the audit for whichever workflow brought an event,
// so that the event's id alone decides whether it is there.
const eventWorkflow = "event"

// Record implements activities.Reviser. The workflow's id is kept in the
// details, and so is the session.
func (l *Ledger) Record(ctx context.Context, workflowID string, events []memory.Event) (int, error) {
	const what = "record events"
	var b pgx.Batch
	for _, e := range events {
		args, err := l.eventArgs(workflowID, e)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", what, err)
		}
		b.Queue(insertAudit, args...)
	}
	if b.Len() == 0 {
		return 0, nil
	}
	written := 0
	err := l.tx(ctx, what, func(tx pgx.Tx) error {
		written = 0
		answers := tx.SendBatch(ctx, &b)
		for range events {
			tag, err := answers.Exec()
			if err != nil {
				return errorsIn(func() error { return err }, answers.Close)
			}
			written += int(tag.RowsAffected())
		}
		return answers.Close()
	})
	return written, err
}

func (l *Ledger) eventArgs(workflowID string, e memory.Event) ([]any, error) {
	details := maps.Clone(e.Details)
	if details == nil {
		details = map[string]any{}
	}
	details["workflow_id"] = workflowID
	if e.Session != "" {
		details["session"] = e.Session
	}
	op := memory.Op{WorkflowID: eventWorkflow, Step: e.ID, Action: e.Action, User: e.User}
	if err := checkOp(op); err != nil {
		return nil, err
	}
	args, err := l.auditArgs(op, entry{project: e.Project, collection: e.Collection, affected: e.MemoryIDs, details: details})
	if err == nil && !e.At.IsZero() {
		args[2] = moment(e.At)
	}
	return args, err
}
