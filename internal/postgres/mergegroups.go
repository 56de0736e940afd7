package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// keptGroups is what the audit keeps of a search for duplicates.
type keptGroups struct {
	Scanned int        `json:"scanned"`
	Groups  [][]string `json:"groups"`

	LeftOut []memory.LeftOut `json:"left_out,omitempty"`
}

// KeepGroups implements activities.Organizer.
func (l *Ledger) KeepGroups(ctx context.Context, op memory.Op, scope memory.Scope, found memory.Groups) (memory.FoundGroups, error) {
	k, err := once(ctx, l, op, "keep what says the same", func(_ pgx.Tx, e *entry) (keptGroups, error) {
		e.project, e.collection = scope.Project, scope.Collection
		return keptGroups{found.Scanned, found.IDs, found.LeftOut}, nil
	})
	return memory.FoundGroups{
		Scanned: k.Scanned, Groups: len(k.Groups),
		LeftOut: k.LeftOut[:min(len(k.LeftOut), memory.ReportMost)],
	}, err
}

// MergeGroups implements activities.Organizer. Limit is of the groups here,
// 0 means 50: stores into the places of a page wait for its end.
func (l *Ledger) MergeGroups(ctx context.Context, op memory.Op, found string, scope memory.Scope, from int) ([]memory.MergedGroup, error) {
	const what = "merge memories"
	if scope.Limit <= 0 {
		scope.Limit = 50
	}
	var texts map[string]string
	page, err := once(ctx, l, op, what, func(tx pgx.Tx, e *entry) ([]kept, error) {
		e.project, e.collection = scope.Project, scope.Collection
		texts = map[string]string{}
		groups, err := readGroups(ctx, tx, op.WorkflowID, found, from, scope.Limit)
		if err != nil {
			return nil, err
		}
		var all []string
		for _, ids := range groups {
			all = append(all, ids...)
		}
		if err := lockPlacesOf(ctx, tx, all); err != nil {
			return nil, err
		}
		changed, err := changedByOthers(ctx, tx, op, all, scope.Now)
		if err != nil {
			return nil, err
		}
		out := []kept{}
		for i, ids := range groups {
			step := op
			step.Step, step.Action = fmt.Sprintf("%s/%d", op.Step, i), memory.ActionMerge
			g, err := l.mergeAudited(ctx, tx, step, ids, scope, changed)
			if err != nil {
				return nil, err
			}
			if len(g.MergedIDs) > 0 {
				texts[g.SurvivorID] = g.Text
				out = append(out, kept{g.SurvivorID, g.MergedIDs, g.Similarity, g.Collection})
			}
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	return l.withTexts(ctx, page, texts)
}

// readGroups reads some of the groups that a step of a workflow kept.
func readGroups(ctx context.Context, tx pgx.Tx, workflowID, step string, from, limit int) ([][]string, error) {
	var groups [][]string
	var data []byte
	err := tx.QueryRow(ctx, `select jsonb_path_query_array(details -> 'result' -> 'groups', '$[$from to $to]', jsonb_build_object('from', $3::int, 'to', $4::int))
from memory_audit where workflow_id = $1 and step = $2 order by id desc limit 1`, workflowID, step, from, from+limit-1).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, memory.Errorf(memory.Internal, "", "nobody kept the groups of %s in %s", step, workflowID)
	}
	if err == nil {
		err = json.Unmarshal(data, &groups)
	}
	if err != nil {
		return nil, fmt.Errorf("read what says the same: %w", err)
	}
	return groups, nil
}

// mergeAudited merges one group and writes its audit row. What somebody changed
// since the run began is left for the next run.
func (l *Ledger) mergeAudited(
	ctx context.Context, tx pgx.Tx, op memory.Op, ids []string, scope memory.Scope, changed map[string]bool,
) (memory.MergedGroup, error) {
	how := memory.MergeFacts
	switch {
	case scope.Plan != "" && changed[ids[0]]:
		return memory.MergedGroup{}, nil
	case scope.Plan != "":
		how = memory.MergeInto(ids[0])
	case scope.Across:
		how = memory.MergeAcross
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return changed[id] })
	if scope.Across && scope.Plan == "" {
		survivors, err := survivorsOf(ctx, tx, ids)
		if err != nil {
			return memory.MergedGroup{}, err
		}
		ids = nowOf(ids, survivors)
	}
	g, err := l.merge(ctx, tx, op, ids, scope, how)
	if err != nil || len(g.MergedIDs) == 0 {
		return g, err
	}
	return g, l.audit(ctx, tx, op, entry{
		project: scope.Project, collection: g.Collection, affected: append([]string{g.SurvivorID}, g.MergedIDs...),
		details: map[string]any{"result": kept{g.SurvivorID, g.MergedIDs, g.Similarity, ""}},
	})
}

// withTexts adds the survivors' texts. Where an earlier try did the step, they
// are read: the audit keeps none.
func (l *Ledger) withTexts(ctx context.Context, page []kept, texts map[string]string) ([]memory.MergedGroup, error) {
	out := make([]memory.MergedGroup, len(page))
	var unknown []string
	for i, k := range page {
		out[i] = memory.MergedGroup{
			SurvivorID: k.SurvivorID, MergedIDs: k.MergedIDs, Similarity: k.Similarity,
			Text: texts[k.SurvivorID], Collection: k.Collection,
		}
		if out[i].Text == "" {
			unknown = append(unknown, k.SurvivorID)
		}
	}
	if len(unknown) == 0 {
		return out, nil
	}
	found, err := l.Get(ctx, unknown)
	for _, m := range found {
		for i := range out {
			if out[i].SurvivorID == m.ID {
				out[i].Text = m.Text
			}
		}
	}
	return out, err
}
