package analytics_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/memory"
)

// views lists the views in docs/analytics.md.
var views = []string{
	"recall_hit_rate", "confidence_over_time", "organize_runs", "memory_growth", "memory_value", "most_used", "never_used",
	"nearly_pruned", "duplicates_avoided", "tokens_injected", "latency", "error_fixes", "redactions", "sessions",
}

func read(t *testing.T, rows, memories int, in analytics.ReportInput) (analytics.Report, string) {
	t.Helper()
	ledger, conn := newLedger(t)
	if rows > 0 {
		generate(t, conn, rows, memories)
	}
	s := &analytics.Snapshots{Dir: t.TempDir(), Source: ledger}
	_, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	r, err := analytics.OpenReader(t.Context(), s.Path())
	require.NoError(t, err)
	defer r.Close()
	report, err := r.Report(t.Context(), in)
	require.NoError(t, err)
	return report, s.Path()
}

// TestViewsCountWhatTheLedgerHolds holds each figure of a report against what
// the generator is known to make.
func TestViewsCountWhatTheLedgerHolds(t *testing.T) {
	t.Parallel()
	report, path := read(t, 10_000, 100, analytics.ReportInput{Days: analytics.MaxDays})
	for _, view := range views {
		assert.NotPanics(t, func() { ask[int64](t, path, "select count(*) from "+view) }, view)
	}
	// Of ten rows: three recalls, two stores, two injections, one use, one credit, one prune.
	assert.EqualValues(t, 3000, report.Totals.Recalls)
	assert.EqualValues(t, 2001, report.Totals.Hits, "two of three")
	assert.EqualValues(t, 90, report.Totals.Live)
	assert.EqualValues(t, 2000, report.Totals.Injections)
	assert.EqualValues(t, 1000, report.Totals.FixesHelped+report.Totals.FixesFailed)
	assert.EqualValues(t, ask[int64](t, path, `select count(*) from audit where status = 'merged'`), report.Totals.DuplicatesAvoided)
	assert.EqualValues(t, 100, ask[int64](t, path, `select sum(times)::bigint from redactions`), "one row in a hundred")
	var sum int64
	for _, b := range report.Confidence {
		sum += b.Memories
	}
	assert.EqualValues(t, 90, sum)
	assert.EqualValues(t, 90, report.Growth[len(report.Growth)-1].Live)
	assert.NotEmpty(t, report.Organize)
	assert.LessOrEqual(t, len(report.MostUsed), 10)
	assert.EqualValues(t, 6, report.MostUsed[0].Uses)
}

// TestDocumentedQueries runs every example of docs/analytics.md.
func TestDocumentedQueries(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/analytics.md")
	require.NoError(t, err)
	_, path := read(t, 2000, 50, analytics.ReportInput{})
	r, err := analytics.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer r.Close()
	examples := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(page, -1)
	assert.Len(t, examples, 12, "one a paragraph of views")
	for _, view := range views {
		assert.Contains(t, string(page), "**"+view+"**", "every view has its paragraph")
	}
	for _, e := range examples {
		for query := range strings.SplitSeq(strings.TrimSpace(string(e[1])), "\n") {
			_, _, err := r.Query(t.Context(), query, 0)
			assert.NoError(t, err, query)
		}
	}
}

// TestOrganizeRunsAreThoseOfOrganize leaves out merges by hand, a merge that
// found nothing any more takes nothing from the count, and a run that went on
// under another id is one all the same. What an undo took back counts, unless
// the undo was taken back too.
func TestOrganizeRunsAreThoseOfOrganize(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	_, err := conn.Exec(t.Context(), `insert into memory_audit ("user", action, "timestamp", affected_ids, project, collection, workflow_id, run_id, step, details)
select 'me', action, now() + n * interval '1 second', (array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()])[1:n], 'p', '', w, r, n::text || w, d::jsonb
from (values (3, 'merge', 'organize/a', 'first', '{}'), (0, 'merge', 'organize/a', 'first', '{}'), (2, 'merge', 'merge/b', 'r', '{}'),
(2, 'merge', 'organize/a', 'second', '{}'), (1, 'prune', 'organize/a', 'third', '{}'), (1, 'prune', 'organize/c', 'fourth', '{}'),
(1, 'undo', 'undo/d', 'r', '{"of":"organize/a"}'), (1, 'undo', 'undo/d', 'r2', '{"of":"organize/a"}'),
(3, 'undo', 'undo/e', 'r', '{"of":"organize/c"}'), (3, 'undo', 'undo/f', 'r', '{"of":"undo/e"}')) v(n, action, w, r, d)`)
	require.NoError(t, err)
	s := &analytics.Snapshots{Dir: t.TempDir(), Source: ledger}
	_, err = s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 2, ask[int64](t, s.Path(), `select count(*) from organize_runs`))
	for column, want := range map[string]string{"run_id": "first", "merged": "3", "pruned": "1", "undone": "2"} {
		assert.Equal(t, want, ask[string](t, s.Path(), `select `+column+`::varchar from organize_runs where workflow_id = 'organize/a'`), column)
	}
	assert.EqualValues(t, 0, ask[int64](t, s.Path(), `select undone from organize_runs where workflow_id = 'organize/c'`))
}

func TestReportOfOneProject(t *testing.T) {
	t.Parallel()
	all, _ := read(t, 5000, 100, analytics.ReportInput{Days: analytics.MaxDays})
	one, _ := read(t, 5000, 100, analytics.ReportInput{Days: analytics.MaxDays, Project: "project-1"})
	assert.Less(t, one.Totals.Recalls, all.Totals.Recalls)
	assert.Positive(t, one.Totals.Recalls)
	for _, m := range one.MostUsed {
		assert.Equal(t, "project-1", m.Project)
	}
}

// TestUseRateOfWhatWasNeverShown has no figure: it is not as good as can be.
func TestUseRateOfWhatWasNeverShown(t *testing.T) {
	t.Parallel()
	_, path := read(t, 100, 300, analytics.ReportInput{})
	assert.Positive(t, ask[int64](t, path, `select count(*) from memory_value where injected = 0`))
	assert.Zero(t, ask[int64](t, path, `select count(use_rate) from memory_value where injected = 0`))
	assert.Positive(t, ask[int64](t, path, `select count(use_rate) from memory_value where injected > 0`))
}

func TestReportOfNothing(t *testing.T) {
	t.Parallel()
	report, _ := read(t, 0, 0, analytics.ReportInput{})
	assert.Zero(t, report.Totals)
	assert.NotNil(t, report.HitRate)
	assert.Len(t, report.Confidence, 10, "an empty histogram is still one")
}

func TestReportRefusesNonsense(t *testing.T) {
	t.Parallel()
	_, err := analytics.ReportInput{Days: -1}.Clean()
	assert.Equal(t, memory.Invalid, memory.CodeOf(err))
	_, err = analytics.OpenReader(t.Context(), t.TempDir()+"/none.duckdb")
	assert.Equal(t, memory.NotFound, memory.CodeOf(err))
}

func TestQuery(t *testing.T) {
	t.Parallel()
	_, path := read(t, 1000, 10, analytics.ReportInput{})
	r, err := analytics.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer r.Close()
	table, more, err := r.Query(t.Context(), `select id, affected_ids from audit order by id`, 5)
	require.NoError(t, err)
	assert.True(t, more)
	assert.Len(t, table.Rows, 5)
	assert.Equal(t, []string{"id", "affected_ids"}, table.Columns)
	for _, bad := range []string{`selekt`, `delete from audit`, `drop view sessions`} {
		_, _, err := r.Query(t.Context(), bad, 0)
		assert.Errorf(t, err, "%s must be refused", bad)
	}
	var text strings.Builder
	fmt.Fprint(&text, table.Rows[0][0])
	assert.Equal(t, "1", text.String())
}
