package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// Get implements activities.Reader. Ids that are no ids are left out like
// missing ones.
func (l *Ledger) Get(ctx context.Context, ids []string) ([]memory.Details, error) {
	const what = "get memories"
	valid := make([]string, 0, len(ids))
	for _, id := range ids {
		if memory.ValidID(id) {
			valid = append(valid, id)
		}
	}
	found := map[string]memory.Details{}
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+memoryColumns+`, updated_at, decayed_at, confirmations from memories where id = any($1)`, valid)
		if err != nil {
			return err
		}
		details, err := pgx.CollectRows(rows, scanDetails)
		if err != nil {
			return err
		}
		for _, d := range details {
			found[d.ID] = d
		}
		return l.addLinks(ctx, valid, found)
	})
	if err != nil {
		return nil, err
	}
	out := make([]memory.Details, 0, len(found))
	for _, id := range valid {
		if d, ok := found[id]; ok {
			out = append(out, d)
			delete(found, id) // an id asked for twice is answered once
		}
	}
	return out, nil
}

func scanDetails(r pgx.CollectableRow) (memory.Details, error) {
	d := memory.Details{Links: []memory.Link{}}
	err := r.Scan(append(fields(&d.Memory), &d.UpdatedAt, &d.DecayedAt, &d.Confirmations)...)
	inUTC(&d.Memory)
	d.UpdatedAt, d.DecayedAt = momentOrNil(d.UpdatedAt), momentOrNil(d.DecayedAt)
	return d, err
}

func (l *Ledger) addLinks(ctx context.Context, ids []string, found map[string]memory.Details) error {
	rows, err := l.pool.Query(ctx, `select `+linkColumns+` from memory_links
where source_id = any($1) or target_id = any($1) order by created_at, id`, ids)
	if err != nil {
		return err
	}
	links, err := pgx.CollectRows(rows, scanLink)
	if err != nil {
		return err
	}
	for _, k := range links {
		for _, end := range []string{k.SourceID, k.TargetID} {
			if d, ok := found[end]; ok {
				d.Links = append(d.Links, k)
				found[end] = d
			}
		}
	}
	return nil
}

// Records implements activities.Reader. Limit 0 means 1000, the most.
func (l *Ledger) Records(ctx context.Context, page memory.Page) ([]memory.Record, error) {
	const what = "read memories"
	page, err := page.Clean()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	sql, args, err := pageQuery(page)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var out []memory.Record
	err = l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, scanRecord)
		return err
	})
	return out, err
}

// announced is memory.Memory.Announced, of what is not pinned.
const announced = `(announced_at >= greatest(last_accessed, arrived_at) and not pinned)`

// pageQuery asks for a page with the conditions that it has, and no others, so that there is
// an index that has its rows in their order: a page of one collection is read by
// memories_by_collection, whatever else the ledger holds.
func pageQuery(page memory.Page) (sql string, args []any, err error) {
	after, err := keysetStart(page.After)
	if err != nil {
		return "", nil, err
	}
	conditions := []string{`state = 'live'`}
	given := func(condition string, value any) {
		args = append(args, value)
		conditions = append(conditions, fmt.Sprintf(condition, len(args)))
	}
	switch len(page.Collections) {
	case 0:
	case 1:
		given(`collection = $%d`, page.Collections[0])
	default:
		given(`collection = any($%d)`, page.Collections)
	}
	if page.Project != "" {
		given(`project = $%d`, page.Project)
	}
	if page.Since != nil {
		given(`created_at >= $%d`, page.Since)
	}
	if page.Before != nil {
		given(`created_at < $%d`, page.Before)
	}
	if len(page.Projects) > 0 {
		given(`project = any($%d)`, page.Projects)
	}
	if len(page.Types) > 0 {
		given(`type = any($%d)`, page.Types)
	}
	if len(page.Tags) > 0 {
		given(`tags @> $%d`, page.Tags)
	}
	if page.Session != "" {
		given(`session = $%d`, page.Session)
	}
	if page.Source != "" {
		given(`source = $%d`, page.Source)
	}
	if page.FromRef != "" {
		given(`source_ref <> '' and starts_with(source_ref, $%d)`, page.FromRef)
	}
	order := `id`
	if page.Nearly {
		conditions = append(conditions, announced)
	}
	switch {
	case page.Sort != "":
		order = orders[page.Sort]
	case page.Newest:
		// The row of the last memory seen exists in any state.
		given(`(created_at, id) < (coalesce((select created_at from memories where id = $%[1]d), 'infinity'), $%[1]d)`, after)
		order = `created_at desc, id desc`
	default:
		given(`id > $%d`, after)
	}
	args = append(args, pageSize(page.Limit))
	sql = fmt.Sprintf(`select %s from memories where %s order by %s limit $%d`,
		recordColumns, strings.Join(conditions, " and "), order, len(args))
	if page.Skip > 0 { // only then, because the planner takes an offset that it does not know for a large one
		args = append(args, page.Skip)
		sql += fmt.Sprintf(` offset $%d`, len(args))
	}
	return sql, args, nil
}

// orders are what a page can be sorted by; the id makes each of them whole.
var orders = map[string]string{
	memory.SortNewest:     `created_at desc, id desc`,
	memory.SortOldest:     `created_at, id`,
	memory.SortUsed:       `last_accessed desc, id`,
	memory.SortConfidence: `confidence desc, id`,
	memory.SortImportance: `importance desc, id`,
}

// keysetStart is the id before all others when none is given.
func keysetStart(after string) (string, error) {
	if after == "" {
		return "00000000-0000-0000-0000-000000000000", nil
	}
	return after, memory.CheckID(after)
}

// History implements activities.Reader.
func (l *Ledger) History(ctx context.Context, id string) (memory.History, error) {
	const what = "read history"
	var h memory.History
	if err := memory.CheckID(id); err != nil {
		return h, fmt.Errorf("%s: %w", what, err)
	}
	err := l.again(ctx, what, func() error {
		rows, err := l.pool.Query(ctx, `select `+memoryColumns+` from memories where id = $1`, id)
		if err != nil {
			return err
		}
		if h.Memory, err = pgx.CollectExactlyOneRow(rows, scanMemory); errors.Is(err, pgx.ErrNoRows) {
			return memory.Errorf(memory.NotFound, "copy the id from a store's or recall's answer", "there is no memory %s", id)
		} else if err != nil {
			return err
		}
		if h.Versions, err = l.versions(ctx, id); err != nil {
			return err
		}
		h.Audit, err = l.audits(ctx, id)
		return err
	})
	return h, err
}

func (l *Ledger) versions(ctx context.Context, id string) ([]memory.Version, error) {
	rows, err := l.pool.Query(ctx, `select seq, memory_id, at, action, workflow_id, run_id, step, before, after
from memory_versions where memory_id = $1 order by seq`, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (memory.Version, error) {
		var v memory.Version
		err := r.Scan(&v.Seq, &v.MemoryID, &v.At, &v.Action, &v.WorkflowID, &v.RunID, &v.Step, &v.Before, &v.After)
		v.At = v.At.UTC()
		return v, err
	})
}

func (l *Ledger) audits(ctx context.Context, id string) ([]memory.Audit, error) {
	rows, err := l.pool.Query(ctx, `select id, "user", action, "timestamp", affected_ids, project, collection,
workflow_id, run_id, step, details from memory_audit where affected_ids @> array[$1::uuid] order by id`, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (memory.Audit, error) {
		var a memory.Audit
		err := r.Scan(&a.ID, &a.User, &a.Action, &a.At, &a.AffectedIDs, &a.Project, &a.Collection,
			&a.WorkflowID, &a.RunID, &a.Step, &a.Details)
		a.At = a.At.UTC()
		return a, err
	})
}

// Stats implements activities.Reader.
func (l *Ledger) Stats(ctx context.Context) (memory.Stats, error) {
	var s memory.Stats
	err := l.again(ctx, "count memories", func() error {
		s = memory.Stats{Live: map[string]int{}, States: map[memory.State]int{}}
		rows, err := l.pool.Query(ctx, `select collection, state, count(*) from memories group by collection, state`)
		if err != nil {
			return err
		}
		var collection, state string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&collection, &state, &n}, func() error {
			s.States[memory.State(state)] += n
			if memory.State(state) == memory.Live {
				s.Live[collection] = n
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = l.pool.QueryRow(ctx, `select (select count(distinct project) from memories where state = 'live'),
(select count(*) from memories where dirty),
(select count(*) from memories where state = 'live' and `+announced+`)`).Scan(&s.Projects, &s.Unindexed, &s.NearlyPruned)
		if err != nil {
			return err
		}
		if s.Held, err = l.Held(ctx); err != nil {
			return err
		}
		g, err := l.generations(ctx, l.pool)
		s.Model, s.Dimension = g.Active.Model, g.Active.Dimension
		if g.Number > 0 {
			s.Generations = &g.Generations
		}
		return err
	})
	return s, err
}

// Version implements activities.Reader: the server's, such as "15.18".
func (l *Ledger) Version(ctx context.Context) (string, error) {
	var v string
	err := l.again(ctx, "ask for PostgreSQL's version", func() error {
		return l.pool.QueryRow(ctx, `select split_part(current_setting('server_version'), ' ', 1)`).Scan(&v)
	})
	return v, err
}
