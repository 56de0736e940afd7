package workflows_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// TestDryRunTellsTheTruth holds the report of a dry run against that of the run
// in earnest right after it, and both against what changed in a real ledger, for
// ledgers that chance fills with something for every step: several projects,
// collections and pages, runs that are continued, twins, holds.
func TestDryRunTellsTheTruth(t *testing.T) {
	t.Parallel()
	theShared.start(t)
	total := memory.CollectionReport{}
	held, announced, across := 0, 0, 0
	leftOut := map[string]int{}
	for seed := range uint64(12) {
		l := newMess(t, seed)
		before := l.print(t)
		dry := l.organize(t, true)
		if after := l.print(t); before != after {
			t.Fatalf("seed %d: a dry run changed the ledger", seed)
		}
		could := l.answered(t)
		real := l.organize(t, false)
		for id, can := range l.answered(t) {
			if could[id] && !can {
				t.Errorf("seed %d: the pinned question %s lost its answer", seed, id)
			}
		}
		for _, left := range real.LeftOut {
			leftOut[left.Action]++
		}
		if diff := gocmp.Diff(comparable(t, dry), comparable(t, real)); diff != "" {
			t.Errorf("seed %d: the dry run says - and the run did +:\n%s", seed, diff)
		}
		l.holdAgainst(t, seed, real)
		across += l.count(t, `select count(*) from memories a join memories b on b.id = a.merged_into where a.collection <> b.collection and a.type = b.type`)
		sum := totals(real)
		total.Expired, total.Promoted, total.Merged = total.Expired+sum.Expired, total.Promoted+sum.Promoted, total.Merged+sum.Merged
		total.Decayed, total.Pruned = total.Decayed+sum.Decayed, total.Pruned+sum.Pruned
		held += len(real.Held)
		for _, c := range real.Collections {
			announced += c.Announced
		}
	}
	if total.Expired*total.Promoted*total.Merged*total.Decayed*total.Pruned*held*announced*across == 0 ||
		leftOut[memory.ActionMerge]*leftOut[memory.ActionExpire] == 0 {
		t.Errorf("chance left a step without work: %+v, %d held, %d announced, %d merged into another collection, for questions %v left",
			total, held, announced, across, leftOut)
	}
}

// comparable is a report without what no two runs have in common.
func comparable(t *testing.T, r memory.OrganizeReport) string {
	t.Helper()
	r.WorkflowID, r.RunID, r.DryRun, r.TookSeconds = "", "", false, 0
	out, err := json.MarshalIndent(r, "", " ")
	check(t, err)
	return string(out)
}

// mess is a ledger and an index that chance has filled.
type mess struct {
	*postgres.Ledger

	conn  *pgx.Conn
	acts  *activities.Activities
	now   time.Time
	chain int // organize runs so far

	begun func(env *testsuite.TestWorkflowEnvironment) // is told of each run, if it is set
}

func newMess(t *testing.T, seed uint64) *mess {
	t.Helper()
	url := testkit.Schema(t, theShared.postgres)
	ledger, err := assembly.OpenLedger(t.Context(), url, slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(ledger.Close)
	check(t, ledger.Migrate(t.Context()))
	conn, err := pgx.Connect(t.Context(), url)
	check(t, err)
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	// What the ledger writes has its own clock, and the run is after that.
	m := &mess{Ledger: ledger, conn: conn, now: time.Now().UTC().Add(time.Hour)}
	m.acts = &activities.Activities{
		Ledger: ledger, Index: newPoints(), Redactor: redactor(t), Now: func() time.Time { return m.now },
		Open:     func(context.Context, string) (bool, error) { return false, nil },
		Recalls:  func(context.Context, int) ([]activities.PastRecall, error) { return nil, nil },
		Embedder: angles{},
	}
	check(t, ledger.UseModel(t.Context(), messModel, len(direction(0))))
	m.fill(t, rand.New(rand.NewPCG(seed, 1))) //nolint:gosec // chance that can be repeated
	return m
}

const messModel = "nomic-embed-text" // its calibration is the identity

// fill imports memories and has each of them lived differently.
func (m *mess) fill(t *testing.T, chance *rand.Rand) {
	t.Helper()
	ctx := t.Context()
	subjects := []string{"The API", "API", "the api", "The worker", "worker", "A build"}
	var records []memory.Record
	for range 150 {
		n := chance.IntN(12)
		text := fmt.Sprintf("%s listens on port %d", subjects[chance.IntN(len(subjects))], n)
		if chance.IntN(2) == 0 {
			text += "."
		}
		if chance.IntN(4) == 0 {
			text += " It was moved."
		}
		kinds := []string{memory.TypeFact, memory.TypeLearning}
		half := 0.5
		in := memory.StoreInput{
			Text: text, Type: kinds[chance.IntN(2)], Tags: []string{}, Project: []string{"p", "q"}[chance.IntN(2)],
			Collection: memory.Collections()[chance.IntN(4)], Importance: &half,
		}
		angle := float64(n) + 0.02*chance.Float64()
		records = append(records, memory.Record{Memory: in.Memory(m.now, messModel), Vector: direction(angle)})
	}
	_, err := m.Import(ctx, memory.Op{WorkflowID: "mess", RunID: "1", Step: "import", Action: memory.ActionImport}, records, nil)
	check(t, err)
	ids := m.ids(t)
	for _, id := range ids {
		m.live(t, chance, id)
	}
	for i := range 40 {
		action := []string{memory.ActionInject, memory.ActionInject, memory.ActionUse}[chance.IntN(3)]
		e := memory.Event{ID: fmt.Sprint(i), Action: action, At: m.ago(chance, 60), MemoryIDs: []string{ids[chance.IntN(len(ids))]}}
		_, err := m.Record(ctx, fmt.Sprint("record/", i), []memory.Event{e})
		check(t, err)
	}
	check(t, m.acts.SyncIndex(ctx, activities.SyncInput{IDs: ids}))
	for i := range 5 {
		m.pin(t, fmt.Sprint("pin/", i), ids[chance.IntN(len(ids))])
	}
}

// pin pins a question that a memory answers.
func (m *mess) pin(t *testing.T, workflow, id string) {
	t.Helper()
	found, err := m.Get(t.Context(), []string{id})
	check(t, err)
	var port int
	_, after, _ := strings.Cut(found[0].Text, "port ")
	_, err = fmt.Sscanf(after, "%d", &port)
	check(t, err)
	q, err := memory.PinnedQuestion{Project: found[0].Project, Text: fmt.Sprintf("what about %d", port), Expect: []string{id}}.Clean()
	check(t, err)
	_, err = m.PinQuestion(t.Context(), memory.Op{WorkflowID: workflow, Step: "pin", Action: memory.ActionPinQuestion}, q)
	check(t, err)
}

// answered returns which of the pinned questions have their answer now.
func (m *mess) answered(t *testing.T) map[string]bool {
	t.Helper()
	questions, err := m.Questions(t.Context(), "")
	check(t, err)
	out := map[string]bool{}
	for _, q := range questions {
		found, err := m.acts.Recall(t.Context(), memory.Query{Text: q.Text, Project: q.Project, Limit: memory.AnswerWithin, Trial: true})
		check(t, err)
		out[q.ID] = slices.ContainsFunc(found.Hits, func(h memory.Hit) bool { return slices.Contains(q.Expect, h.ID) })
	}
	return out
}

// live gives a memory a past.
func (m *mess) live(t *testing.T, chance *rand.Rand, id string) {
	t.Helper()
	maybe := func(of int, days float64) *time.Time {
		if chance.IntN(of) > 0 {
			return nil
		}
		at := m.ago(chance, days)
		return &at
	}
	var expires *time.Time
	if at := m.ago(chance, 20).AddDate(0, 0, 10); chance.IntN(2) == 0 {
		expires = &at
	}
	_, err := m.conn.Exec(t.Context(), `update memories set confidence = $2, pinned = $3, access_count = $4, confirmations = $5, created_at = $6,
last_accessed = $7, arrived_at = $8, decayed_at = $9, announced_at = $10, expires_at = case when collection like '%\_memory' then $11::timestamptz end
where id = $1`, id, chance.Float64()*0.7, chance.IntN(12) == 0, chance.IntN(3), chance.IntN(9)/8, m.ago(chance, 900), m.ago(chance, 300),
		m.ago(chance, 300), maybe(2, 60), maybe(2, 20), expires)
	check(t, err)
}

func (m *mess) ago(chance *rand.Rand, days float64) time.Time {
	return m.now.Add(-time.Duration(chance.Float64() * days * 24 * float64(time.Hour))).Truncate(time.Microsecond)
}

func (m *mess) ids(t *testing.T) []string {
	t.Helper()
	rows, err := m.conn.Query(t.Context(), `select id::text from memories order by id`)
	check(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	return ids
}

func (m *mess) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	var n int
	check(t, m.conn.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// print is the ledger in one number.
func (m *mess) print(t *testing.T) string {
	t.Helper()
	var out string
	check(t, m.conn.QueryRow(t.Context(), `select md5(concat((select string_agg(m::text, '' order by id) from memories m),
(select count(*) from memory_audit), (select count(*) from memory_versions), (select count(*) from held_prunes)))`).Scan(&out))
	return out
}

// organize runs the workflow, page by small page, in as many runs as it takes.
func (m *mess) organize(t *testing.T, dry bool) memory.OrganizeReport {
	t.Helper()
	report, runs, err := m.run(t, memory.OrganizeInput{DryRun: dry})
	check(t, err)
	if !dry && runs < 3 {
		t.Errorf("%d runs were continued", runs)
	}
	return report
}

// run is organize with any input, and says how often the workflow went on as new.
func (m *mess) run(t *testing.T, in memory.OrganizeInput) (report memory.OrganizeReport, runs int, err error) {
	t.Helper()
	state := workflows.OrganizeState{PerRun: 5, Page: 7}
	m.chain++
	for ; ; runs++ {
		env := newEnv(t)
		env.SetTestTimeout(patience)
		env.RegisterActivity(m.acts)
		env.SetStartTime(m.now)
		env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: fmt.Sprint("organize/", m.chain)})
		if m.begun != nil {
			m.begun(env)
		}
		env.ExecuteWorkflow(workflows.OrganizeMemory, in, state)
		err := env.GetWorkflowError()
		var again *workflow.ContinueAsNewError
		switch {
		case err == nil:
			check(t, env.GetWorkflowResult(&report))
			return report, runs, nil
		case !errors.As(err, &again):
			return report, runs, activities.FromTemporal(err)
		}
		in, state = memory.OrganizeInput{}, workflows.OrganizeState{} // what is left out is zero
		check(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in, &state))
	}
}

// holdAgainst compares a report with what is in the ledger after the run.
func (m *mess) holdAgainst(t *testing.T, seed uint64, r memory.OrganizeReport) {
	t.Helper()
	sum := totals(r)
	announced := 0
	for _, c := range r.Collections {
		announced += c.Announced
	}
	for what, c := range map[string]struct {
		want int
		sql  string
	}{
		"expired":   {sum.Expired, `state = 'expired'`},
		"pruned":    {sum.Pruned, `state = 'pruned'`},
		"decayed":   {sum.Decayed, `decayed_at = $1`},
		"announced": {announced, `announced_at = $1`},
		"pruned though pinned, used, or not announced six days ago": {0, `state = 'pruned' and (pinned or confidence >= 0.3
or greatest(last_accessed, arrived_at) > $1::timestamptz - interval '90 days' or announced_at is null or announced_at > $1::timestamptz - interval '6 days')`},
		"pruned in a project that is held": {0, `state = 'pruned' and project in (select project from held_prunes)`},
	} {
		query, args := `select count(*) from memories where `+c.sql, []any{}
		if slices.Contains([]string{"expired", "pruned", "pruned in a project that is held"}, what) {
			query += ` and $1::timestamptz is not null`
		}
		args = append(args, m.now.Truncate(time.Microsecond))
		var got int
		check(t, m.conn.QueryRow(t.Context(), query, args...).Scan(&got))
		if got != c.want {
			t.Errorf("seed %d: %d %s, want %d", seed, got, what, c.want)
		}
	}
	waiting, err := m.Held(t.Context())
	check(t, err)
	if fmt.Sprint(waiting) != fmt.Sprint(r.Held) {
		t.Errorf("seed %d: the ledger holds back %v, the report says %v", seed, waiting, r.Held)
	}
}

// points is an index that compares with everything. Only what organize asks of
// an index is there.
type points struct {
	activities.Index

	mu sync.Mutex
	at map[string]map[string]memory.Record // by collection and id

	written func() // is told of each write, if it is set
}

func newPoints() *points { return &points{at: map[string]map[string]memory.Record{}} }

func (p *points) Upsert(_ context.Context, records []memory.Record) error {
	if p.written != nil {
		p.written()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range records {
		if p.at[r.Collection] == nil {
			p.at[r.Collection] = map[string]memory.Record{}
		}
		p.at[r.Collection][r.ID] = r
	}
	return nil
}

func (p *points) Delete(_ context.Context, collection string, ids []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		delete(p.at[collection], id)
	}
	return nil
}

func (p *points) NearEach(_ context.Context, like []memory.Record, above float64, limit int) ([][]memory.Match, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([][]memory.Match, len(like))
	for i, l := range like {
		for _, id := range slices.Sorted(maps.Keys(p.at[l.Collection])) {
			r := p.at[l.Collection][id]
			if cosine := memory.Cosine(l.Vector, r.Vector); r.Project == l.Project && (r.Type == l.Type || l.Type == "") && id != l.ID && cosine > above {
				out[i] = append(out[i], memory.Match{ID: id, Cosine: cosine})
			}
		}
		slices.SortStableFunc(out[i], func(a, b memory.Match) int { return cmp.Compare(b.Cosine, a.Cosine) })
		out[i] = out[i][:min(len(out[i]), limit)]
	}
	return out, nil
}

func (p *points) Missing(_ context.Context, collection string, ids []string) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, there := p.at[collection][id]; return there }), nil
}

// Compare finds nothing: what is compared has just been written by Upsert.
func (p *points) Compare(context.Context, string, []memory.Record) (memory.Difference, error) {
	return memory.Difference{}, nil
}

func (p *points) RebuildGraphs(context.Context, string) (bool, error) { return false, nil }

// Search compares with everything, and knows no words.
func (p *points) Search(_ context.Context, s memory.Search) ([]memory.Candidate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []memory.Candidate
	for _, in := range p.at {
		for _, r := range in {
			if slices.Contains(s.Projects, r.Project) {
				out = append(out, memory.Candidate{Memory: r.Memory, Cosine: memory.Cosine(s.Vector, r.Vector), HasCosine: true})
			}
		}
	}
	return out, nil
}

// angles embeds a question that ends in a number as the direction of that angle.
type angles struct{}

func (angles) Model() string { return messModel }

func (angles) Embed(_ context.Context, _ memory.Purpose, texts []string) ([]memory.Vector, error) {
	out := make([]memory.Vector, len(texts))
	for i, text := range texts {
		n, err := strconv.Atoi(text[strings.LastIndexByte(text, ' ')+1:])
		if err != nil {
			return nil, err
		}
		out[i] = direction(float64(n))
	}
	return out, nil
}

// direction is the unit vector of an angle; whole angles are far apart.
func direction(angle float64) memory.Vector {
	v := make(memory.Vector, 24)
	whole := int(angle)
	rest := angle - float64(whole)
	v[whole], v[whole+12] = float32(math.Cos(rest)), float32(math.Sin(rest))
	return v
}
