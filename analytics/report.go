package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of a report's lists.
const (
	DefaultDays = 30 // of a report
	MaxDays     = 3650
	listMost    = 10
	runsMost    = 12
)

// ReportInput says what a report is about.
type ReportInput struct {
	Project string // empty means all
	Days    int    // how far back, 1 to MaxDays; 0 means DefaultDays
}

// Report is what "mneme analytics" shows. All slices are not nil.
type Report struct {
	TakenAt      time.Time     `json:"taken_at"` // of the snapshot
	Project      string        `json:"project"`  // "" for all
	Days         int           `json:"days"`
	Totals       Totals        `json:"totals"`
	HitRate      []DayRate     `json:"hit_rate"`    // by day, oldest first; days without a recall are left out
	Sources      []SourceRate  `json:"hit_sources"` // by door
	Growth       []DayCount    `json:"growth"`      // live memories at the end of each day that changed them
	Confidence   []Bucket      `json:"confidence"`  // of live memories now, in tenths
	MeanOverTime []DayMean     `json:"mean_confidence"`
	Organize     []OrganizeRun `json:"organize_runs"` // newest first
	MostUsed     []Used        `json:"most_used"`
	NearlyPruned []Used        `json:"nearly_pruned"`
	DeadWeight   []Value       `json:"dead_weight"` // shown often, used never
	Latency      []Latency     `json:"latency"`
	Redactions   []Named       `json:"redactions"`
}

// Totals are the figures at the top of a report.
type Totals struct {
	Live              int64   `json:"live"`
	Projects          int64   `json:"projects"`
	NeverUsed         int64   `json:"never_used"`
	Recalls           int64   `json:"recalls"`
	Hits              int64   `json:"hits"`
	Sessions          int64   `json:"sessions"`
	SessionsWithHit   int64   `json:"sessions_with_hit"`
	DuplicatesAvoided int64   `json:"duplicates_avoided"`
	Injections        int64   `json:"injections"`
	Tokens            int64   `json:"tokens_injected"`
	TokensPerHit      float64 `json:"tokens_per_hit"` // 0 when nothing was injected
	FixesHelped       int64   `json:"fixes_helped"`   // errors that stayed away after a recalled fix
	FixesFailed       int64   `json:"fixes_failed"`   // errors that came back
}

// DayRate is a day's recalls and how many of them found something.
type DayRate struct {
	Day     time.Time `json:"day"`
	Recalls int64     `json:"recalls"`
	Hits    int64     `json:"hits"`
}

// SourceRate is the same of one door.
type SourceRate struct {
	Source  string `json:"source"`
	Recalls int64  `json:"recalls"`
	Hits    int64  `json:"hits"`
}

// DayCount is how many memories were live at the end of a day.
type DayCount struct {
	Day  time.Time `json:"day"`
	Live int64     `json:"live"`
}

// DayMean is the mean confidence on a day that a snapshot was taken.
type DayMean struct {
	Day  time.Time `json:"day"`
	Mean float64   `json:"mean"`
}

// Bucket counts memories with a confidence from From up to a tenth more.
type Bucket struct {
	From     float64 `json:"from"`
	Memories int64   `json:"memories"`
}

// OrganizeRun counts the changes of one run.
type OrganizeRun struct {
	WorkflowID string    `json:"workflow_id"`
	StartedAt  time.Time `json:"started_at"`
	Merged     int64     `json:"merged"`
	Pruned     int64     `json:"pruned"`
	Promoted   int64     `json:"promoted"`
	Expired    int64     `json:"expired"`
	Decayed    int64     `json:"decayed"`
	Undone     int64     `json:"undone"`
}

// Used is a memory and how much it was used.
type Used struct {
	ID           string    `json:"id"`
	Project      string    `json:"project"`
	Type         string    `json:"type"`
	Uses         int64     `json:"uses"`
	Confidence   float64   `json:"confidence"`
	LastAccessed time.Time `json:"last_accessed"`
	Text         string    `json:"text,omitempty"` // filled in by who asks the ledger
}

// Value holds the cost and the use of one memory. See the view memory_value.
type Value struct {
	ID         string  `json:"id"`
	Project    string  `json:"project"`
	Injected   int64   `json:"injected"`
	Tokens     float64 `json:"tokens"`
	Used       int64   `json:"used"`
	Helped     int64   `json:"helped"`
	NotHelped  int64   `json:"not_helped"`
	Confidence float64 `json:"confidence"`
	Text       string  `json:"text,omitempty"` // filled in by who asks the ledger
}

// Latency is how long callers waited, in milliseconds.
type Latency struct {
	Action string  `json:"action"`
	Calls  int64   `json:"calls"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	P99    float64 `json:"p99_ms"`
}

// Named counts something that has a name.
type Named struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Clean checks the input and fills in defaults.
func (in ReportInput) Clean() (ReportInput, error) {
	if in.Days == 0 {
		in.Days = DefaultDays
	}
	if in.Days < 1 || in.Days > MaxDays {
		return in, memory.Errorf(memory.Invalid, fmt.Sprintf("give 1 to %d", MaxDays), "there is no report over %d days", in.Days)
	}
	return in, memory.CheckName("project", in.Project)
}

// Report reads a report from the views.
func (r *Reader) Report(ctx context.Context, in ReportInput) (Report, error) {
	in, err := in.Clean()
	if err != nil {
		return Report{}, err
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("read report: %w", err)
	}
	defer conn.Close()
	q := &reading{conn: conn, ctx: ctx}
	report := Report{Project: in.Project, Days: in.Days}
	q.values(`select taken_at from snapshot_state`, &report.TakenAt)
	q.set("project", in.Project)
	q.set("since", report.TakenAt.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-in.Days))
	q.totals(&report.Totals)
	report.HitRate = many(q, `select day, sum(recalls)::bigint, sum(hits)::bigint from recall_hit_rate where `+scope+` and day >= getvariable('since')
group by day order by day`, func(d *DayRate) []any { return []any{&d.Day, &d.Recalls, &d.Hits} })
	report.Sources = many(q, `select source, sum(recalls)::bigint, sum(hits)::bigint from recall_hit_rate where `+scope+` and day >= getvariable('since')
group by source order by 2 desc, source`, func(s *SourceRate) []any { return []any{&s.Source, &s.Recalls, &s.Hits} })
	report.Growth = many(q, `select day, live from (select day, (sum(sum(born - gone)) over (order by day))::bigint as live
from memory_growth where `+scope+` group by day) where day >= getvariable('since') order by day`,
		func(d *DayCount) []any { return []any{&d.Day, &d.Live} })
	report.Confidence = many(q, `select b / 10.0, count(m.id) from range(10) t(b) left join memories m
on least(floor(m.confidence * 10), 9) = b and m.state = 'live' and `+scope+` group by b order by b`,
		func(b *Bucket) []any { return []any{&b.From, &b.Memories} })
	report.MeanOverTime = many(q, `select day, sum(mean * memories) / sum(memories) from confidence_over_time
where `+scope+` and day >= getvariable('since') group by day order by day`, func(d *DayMean) []any { return []any{&d.Day, &d.Mean} })
	q.lists(&report)
	if q.err != nil {
		return report, fmt.Errorf("read report: %w", q.err)
	}
	return report, nil
}

// lists reads the tables of a report.
func (q *reading) lists(report *Report) {
	report.Organize = many(q, fmt.Sprintf(`select workflow_id, started_at, merged::bigint, pruned::bigint, promoted::bigint, expired::bigint,
decayed::bigint, undone::bigint from organize_runs where started_at >= getvariable('since')
order by started_at desc, workflow_id limit %d`, runsMost), func(o *OrganizeRun) []any {
		return []any{&o.WorkflowID, &o.StartedAt, &o.Merged, &o.Pruned, &o.Promoted, &o.Expired, &o.Decayed, &o.Undone}
	})
	used := func(u *Used) []any {
		return []any{&u.ID, &u.Project, &u.Type, &u.Uses, &u.Confidence, &u.LastAccessed}
	}
	report.MostUsed = many(q, fmt.Sprintf(`select id, project, type, access_count, confidence, last_accessed from most_used
where `+scope+` limit %d`, listMost), used)
	report.NearlyPruned = many(q, fmt.Sprintf(`select id, project, type, 0, confidence, last_accessed from nearly_pruned
where `+scope+` limit %d`, listMost), used)
	report.DeadWeight = many(q, fmt.Sprintf(`select id, project, injected, tokens, used, helped, not_helped, confidence from memory_value
where `+scope+` and %s order by tokens desc, id limit %d`, isDeadWeight, listMost), func(v *Value) []any {
		return []any{&v.ID, &v.Project, &v.Injected, &v.Tokens, &v.Used, &v.Helped, &v.NotHelped, &v.Confidence}
	})
	report.Latency = many(q, `select action, count(*), quantile_cont(took_ms, 0.5), quantile_cont(took_ms, 0.95), quantile_cont(took_ms, 0.99)
from audit where took_ms is not null and `+scope+` and ts >= getvariable('since') group by action order by action`, func(l *Latency) []any {
		return []any{&l.Action, &l.Calls, &l.P50, &l.P95, &l.P99}
	})
	report.Redactions = many(q, `select kind, sum(times)::bigint from redactions where `+scope+` and day >= getvariable('since')
group by kind order by 2 desc, kind`, func(n *Named) []any { return []any{&n.Name, &n.Count} })
}

// isDeadWeight holds for memories that cost tokens again and again and were
// never followed: what to look at first when something is to be forgotten.
const isDeadWeight = `state = 'live' and not pinned and injected >= 3 and used = 0 and helped = 0`

// scope keeps to the project asked for, if one was. The variables belong to
// the connection; "since" is the first day.
const scope = `(getvariable('project') = '' or project = getvariable('project'))`

// totals reads the figures at the top.
func (q *reading) totals(t *Totals) {
	q.values(`select count(*) filter (where state = 'live'), count(distinct project) filter (where state = 'live'),
count(*) filter (where state = 'live' and access_count = 0) from memories where `+scope+``,
		&t.Live, &t.Projects, &t.NeverUsed)
	q.values(`select coalesce(sum(recalls), 0)::bigint, coalesce(sum(hits), 0)::bigint from recall_hit_rate
where `+scope+` and day >= getvariable('since')`, &t.Recalls, &t.Hits)
	q.values(`select count(*), count(*) filter (where had_hit) from sessions where `+scope+` and last_at >= getvariable('since')`,
		&t.Sessions, &t.SessionsWithHit)
	q.values(`select coalesce(sum(before_storing + while_storing), 0)::bigint from duplicates_avoided
where `+scope+` and day >= getvariable('since')`, &t.DuplicatesAvoided)
	q.values(`select count(*), coalesce(sum(tokens), 0)::bigint, coalesce(sum(tokens) / nullif(sum(len(affected_ids)), 0), 0)::double
from audit where action = 'inject' and `+scope+` and ts >= getvariable('since')`, &t.Injections, &t.Tokens, &t.TokensPerHit)
	q.values(`select coalesce(sum(stayed_away), 0)::bigint, coalesce(sum(came_back), 0)::bigint from error_fixes
where `+scope+` and day >= getvariable('since')`, &t.FixesHelped, &t.FixesFailed)
}

// reading runs queries on one connection until the first error, and keeps it.
type reading struct {
	conn *sql.Conn
	ctx  context.Context // of the one report that this is for
	err  error
}

func (q *reading) set(variable string, value any) {
	if q.err == nil {
		_, q.err = q.conn.ExecContext(q.ctx, `set variable `+variable+` = ?`, value)
	}
}

func (q *reading) values(query string, targets ...any) {
	if q.err == nil {
		q.err = q.conn.QueryRowContext(q.ctx, query).Scan(targets...)
	}
}

// many reads the rows of a query; targets gives where a row's columns go.
func many[T any](q *reading, query string, targets func(*T) []any) []T {
	out := []T{}
	if q.err != nil {
		return out
	}
	rows, err := q.conn.QueryContext(q.ctx, query)
	if err != nil {
		q.err = err
		return out
	}
	defer rows.Close()
	for rows.Next() {
		var row T
		if q.err = rows.Scan(targets(&row)...); q.err != nil {
			return out
		}
		out = append(out, row)
	}
	q.err = rows.Err()
	return out
}
