package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

const (
	idA = "0e5a6a4e-0000-8000-8000-00000000000a"
	idB = "1b7c0d2f-0000-8000-8000-00000000000b"
)

// fake is a client of function fields. One that is not set fails, so that a
// command that should have refused its input cannot pass a test.
type fake struct {
	store    func(memory.StoreInput) (memory.StoreResult, error)
	recall   func(memory.Query) (memory.RecallResult, error)
	forget   func(memory.ForgetInput) (memory.ForgetReceipt, error)
	organize func(memory.OrganizeInput, func(memory.OrganizeReport)) (memory.OrganizeReport, error)
	plan     func(memory.PlanQuery) (memory.PlanPage, error)
	cancel   func(string) ([]string, error)
	get      func([]string) ([]memory.Details, error)
	update   func(memory.UpdateInput) (memory.Memory, error)
	merge    func([]string) (memory.MergedGroup, error)
	link     func(memory.Link) (memory.Link, error)
	related  func(string, int, int) ([]memory.Related, error)
	history  func(string) (memory.History, error)
	list     func(memory.Page) ([]memory.Memory, error)
	start    func(string) (memory.ImportProgress, error)
	batch    func(context.Context, string, memory.ImportBatch) (memory.ImportProgress, error)
	finish   func(string) (memory.ImportProgress, error)
	bringing func([]memory.StoreInput, memory.ImportScope) (memory.ImportPlan, error)
	reembed  func(memory.ReembedInput, func(memory.ReembedReport)) (memory.ReembedReport, error)
	underWay *memory.ReembedReport
	rebuild  func(memory.RebuildInput, func(memory.RebuildReport)) (memory.RebuildReport, error)
	stats    func() (memory.Stats, error)
	census   func(memory.CensusInput) (memory.Census, error)
	snapshot func(memory.SnapshotInput) (memory.SnapshotReport, error)
	undo     func(memory.UndoInput) (memory.UndoReport, error)
	changes  []memory.Change
	restore  func(string) (memory.Memory, error)
	waiting  []memory.Waiting
	archive  func(conversation.Batch) (conversation.Archived, error)
	backups  *schedule
}

func (f fake) Waiting(context.Context) ([]memory.Waiting, error) { return f.waiting, nil }

var errUnexpected = errors.New("the client was not to be called")

func (f fake) Store(_ context.Context, in memory.StoreInput) (memory.StoreResult, error) {
	if f.store == nil {
		return memory.StoreResult{}, errUnexpected
	}
	in, err := in.Clean() // as the real client does
	if err != nil {
		return memory.StoreResult{}, err
	}
	return f.store(in)
}

func (f fake) Recall(_ context.Context, q memory.Query) (memory.RecallResult, error) {
	if f.recall == nil {
		return memory.RecallResult{}, errUnexpected
	}
	q, err := q.Clean()
	if err != nil {
		return memory.RecallResult{}, err
	}
	return f.recall(q)
}

func (f fake) ImportPlan(_ context.Context, items []memory.StoreInput, scope memory.ImportScope) (memory.ImportPlan, error) {
	if f.bringing == nil {
		return memory.ImportPlan{}, errUnexpected
	}
	for i := range items {
		var err error
		if items[i], err = items[i].Clean(); err != nil {
			return memory.ImportPlan{}, err
		}
	}
	return f.bringing(items, scope)
}

func (f fake) Purge(ctx context.Context, in memory.ForgetInput, progress func(memory.ForgetReceipt)) (memory.ForgetReceipt, error) {
	progress(memory.ForgetReceipt{WorkflowID: "forget/x", Purge: &memory.PurgeReport{Stage: "looking for the texts everywhere"}})
	r, err := f.Forget(ctx, in)
	report := purgeReport()
	r.Purge = &report
	return r, err
}

func (f fake) VerifyPurge(_ context.Context, in memory.VerifyInput, _ func(memory.PurgeReport)) (memory.PurgeReport, error) {
	r := purgeReport()
	r.Receipt = in.Receipt
	if filepath.Base(in.Receipt) == "found.json" && !in.Again {
		r.AddFound(memory.Trace{Place: "/home/u/.mneme/notes.txt", ID: idA, Whole: true, Hint: "delete the file if it is not needed"})
	}
	return r, nil
}

// RedactEverything finds an address in one memory, and nothing where the user is "clean".
func (f fake) RedactEverything(
	_ context.Context, in memory.RedactInput, progress func(memory.RedactReport),
) (memory.RedactReport, error) {
	progress(memory.RedactReport{WorkflowID: "redact/x", Stage: "redacting memories"})
	report := memory.RedactReport{WorkflowID: "redact/x", DryRun: in.DryRun, Kinds: map[string]int{}, Purge: &memory.PurgeReport{}}
	if in.Project == "clean" {
		return report, nil
	}
	report.Memories, report.Kinds["email"] = 1, 1
	report.Purge.Swept = memory.Swept{Versions: 2, Messages: 1}
	if in.DryRun {
		report.Examples = []memory.RedactExample{{ID: idA, Project: "p", Kinds: []string{"email"}, Text: "Ask [redacted:email:7f3a2c]."}}
		return report, nil
	}
	purge := purgeReport()
	report.Purge = &purge
	return report, nil
}

func purgeReport() memory.PurgeReport {
	return memory.PurgeReport{
		Receipt: "/home/u/.mneme/purges/forget-x.json", Texts: 2, Short: 1, Kept: []string{idB},
		Places:    []memory.Searched{{Place: "PostgreSQL", What: "texts", Count: 12, Bytes: 3400}, {Place: "/home/u/.mneme", What: "files", Count: 1234, Bytes: 56 << 20}},
		Swept:     memory.Swept{Messages: 1, Histories: 3},
		Found:     []memory.Trace{},
		Unreached: []memory.Unreached{{What: "exports and backups", Until: "you delete them"}},
	}
}

func (f fake) Forget(_ context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	if f.forget == nil {
		return memory.ForgetReceipt{}, errUnexpected
	}
	var err error
	if in.Filter, err = in.Filter.Clean(); err != nil {
		return memory.ForgetReceipt{}, err
	}
	return f.forget(in)
}

func (f fake) Snapshot(
	_ context.Context, in memory.SnapshotInput, _ func(memory.SnapshotReport),
) (memory.SnapshotReport, error) {
	if f.snapshot == nil {
		return memory.SnapshotReport{}, errUnexpected
	}
	return f.snapshot(in)
}

func (f fake) Organize(_ context.Context, in memory.OrganizeInput, p func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
	if f.organize == nil {
		return memory.OrganizeReport{}, errUnexpected
	}
	return f.organize(in, p)
}

func (f fake) Plan(_ context.Context, q memory.PlanQuery) (memory.PlanPage, error) {
	if f.plan == nil {
		return memory.PlanPage{}, errUnexpected
	}
	return f.plan(q)
}

func (f fake) PinQuestion(_ context.Context, q memory.PinnedQuestion) (memory.PinnedQuestion, error) {
	return q.Clean()
}

func (f fake) UnpinQuestion(_ context.Context, id, _ string) (memory.PinnedQuestion, error) {
	if id != memory.ShortID(idB) {
		return memory.PinnedQuestion{}, memory.Errorf(memory.NotFound, "see them with --list", "no pinned question has the id %s", id)
	}
	return memory.PinnedQuestion{ID: idB, Project: "shop", Text: "which tool makes migrations", Expect: []string{idA}}, nil
}

func (f fake) Questions(_ context.Context, project string) ([]memory.PinnedQuestion, error) {
	if project == "empty" {
		return nil, nil
	}
	return []memory.PinnedQuestion{
		{ID: idB, Project: "shop", Text: "which tool makes migrations\x1b[2J", Expect: []string{idA}, CreatedAt: day(1)},
		{ID: idA, Project: "shop", Text: "what is lost", Expect: []string{idB}, CreatedAt: day(2)},
	}, nil
}

func (f fake) CancelOrganize(_ context.Context, id string) ([]string, error) {
	if f.cancel == nil {
		return nil, errUnexpected
	}
	return f.cancel(id)
}

func (f fake) Held(context.Context) ([]memory.HeldPrune, error) { return nil, nil }

func (f fake) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	if f.get == nil {
		return nil, errUnexpected
	}
	return f.get(ids)
}

func (f fake) Update(_ context.Context, in memory.UpdateInput) (memory.Memory, error) {
	in, err := in.Clean()
	if err == nil && f.update == nil {
		err = errUnexpected
	}
	if err != nil {
		return memory.Memory{}, err
	}
	return f.update(in)
}

func (f fake) Merge(_ context.Context, ids []string) (memory.MergedGroup, error) {
	if f.merge == nil {
		return memory.MergedGroup{}, errUnexpected
	}
	return f.merge(ids)
}

func (f fake) Link(_ context.Context, l memory.Link) (memory.Link, error) {
	if f.link == nil {
		return l, errUnexpected
	}
	return f.link(l)
}

func (f fake) Related(_ context.Context, id string, depth, limit int) ([]memory.Related, error) {
	if f.related == nil {
		return nil, errUnexpected
	}
	return f.related(id, depth, limit)
}

func (f fake) History(_ context.Context, id string) (memory.History, error) {
	if f.history == nil {
		return memory.History{}, errUnexpected
	}
	return f.history(id)
}

func (f fake) List(_ context.Context, p memory.Page) ([]memory.Memory, error) {
	if f.list == nil {
		return nil, errUnexpected
	}
	return f.list(p)
}

func (f fake) ImportStart(_ context.Context, id string) (memory.ImportProgress, error) {
	if f.start == nil {
		return memory.ImportProgress{}, errUnexpected
	}
	return f.start(id)
}

func (f fake) ImportBatch(ctx context.Context, id string, b memory.ImportBatch) (memory.ImportProgress, error) {
	if f.batch == nil {
		return memory.ImportProgress{}, errUnexpected
	}
	for i, item := range b.Items {
		var err error
		if b.Items[i], err = item.Clean(); err != nil {
			return memory.ImportProgress{}, err
		}
	}
	return f.batch(ctx, id, b)
}

func (f fake) ImportFinish(_ context.Context, id string) (memory.ImportProgress, error) {
	if f.finish == nil {
		return memory.ImportProgress{}, errUnexpected
	}
	return f.finish(id)
}

func (f fake) Reembed(_ context.Context, in memory.ReembedInput, p func(memory.ReembedReport)) (memory.ReembedReport, error) {
	if f.reembed == nil {
		return memory.ReembedReport{}, errUnexpected
	}
	return f.reembed(in, p)
}

func (f fake) ReembedUnderWay(context.Context) (*memory.ReembedReport, error) { return f.underWay, nil }

func (f fake) CancelReembed(context.Context) (bool, error) { return f.underWay != nil, nil }

func (f fake) Rebuild(_ context.Context, in memory.RebuildInput, p func(memory.RebuildReport)) (memory.RebuildReport, error) {
	if f.rebuild == nil {
		return memory.RebuildReport{}, errUnexpected
	}
	return f.rebuild(in, p)
}

func (f fake) Stats(context.Context) (memory.Stats, error) {
	if f.stats == nil {
		return memory.Stats{}, errUnexpected
	}
	return f.stats()
}

func (f fake) IndexState(context.Context) (memory.IndexState, error) {
	return memory.IndexState{}, nil
}

func (f fake) Undo(_ context.Context, in memory.UndoInput, p func(memory.UndoReport)) (memory.UndoReport, error) {
	if f.undo == nil {
		return memory.UndoReport{}, errUnexpected
	}
	return f.undo(in)
}

func (f fake) Changes(context.Context, int) ([]memory.Change, error) { return f.changes, nil }

func (f fake) Restore(_ context.Context, id, _ string) (memory.Memory, error) {
	if f.restore == nil {
		return memory.Memory{}, errUnexpected
	}
	return f.restore(id)
}

// schedule is that of backups.
type schedule struct{ now *memory.BackupPlan }

func (f fake) Backup(_ context.Context, in memory.BackupInput, _ func(memory.BackupReport)) (memory.BackupReport, error) {
	if f.backups == nil {
		return memory.BackupReport{}, errUnexpected
	}
	return memory.BackupReport{Path: in.Dir + "/mneme-0e5a6a4e-20260103T000000Z.backup", Host: "here", Bytes: 4096, Live: 2, Done: 3, Rows: 3}, in.Check()
}

func (f fake) ScheduleBackups(_ context.Context, in memory.BackupInput) error {
	if f.backups == nil {
		return errUnexpected
	}
	f.backups.now = &memory.BackupPlan{BackupInput: in, Next: day(4), Last: day(3)}
	return in.Check()
}

func (f fake) StopBackups(context.Context) (bool, error) {
	if f.backups == nil {
		return false, errUnexpected
	}
	were := f.backups.now != nil
	f.backups.now = nil
	return were, nil
}

func (f fake) BackupPlan(context.Context) (*memory.BackupPlan, error) {
	if f.backups == nil {
		return nil, nil
	}
	return f.backups.now, nil
}

func (f fake) Close() {}

// session is one run of a command.
type session struct {
	home  string
	dir   string
	stdin string
	tty   bool // stdin and stderr are a terminal
	env   map[string]string
	deps  Deps
}

func newSession(t *testing.T, c Client) *session {
	t.Helper()
	return &session{
		home: t.TempDir(), dir: t.TempDir(), env: map[string]string{},
		deps: Deps{
			Version: "1.2.3",
			Dial:    func(context.Context, config.Config) (Client, error) { return c, nil },
			Project: func(string) string { return "here" },
		},
	}
}

func (s *session) run(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := func(name string) string {
		if name == "MNEME_HOME" {
			return s.home
		}
		return s.env[name]
	}
	sys := System{
		Args: args, Env: env, Dir: s.dir, Stdin: strings.NewReader(s.stdin), Stdout: &out, Stderr: &errs,
		StdinTTY: s.tty, StderrTTY: s.tty, Location: time.UTC,
		Now:        func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) },
		Executable: func() (string, error) { return "/opt/mneme/bin/mneme", nil },
	}
	code = Main(ctx, sys, s.deps)
	return code, out.String(), errs.String()
}

func day(n int) time.Time { return time.Date(2026, 1, n, 9, 30, 0, 0, time.UTC) }

func aMemory(id string) memory.Memory {
	return memory.Memory{
		ID: id, Collection: memory.Memories, Project: `o'hara/"app"`, Type: memory.TypeDecision, Tags: []string{"db", "ops"},
		Text: "We use goose for <migrations>.", Confidence: 0.55, Importance: 0.5, AccessCount: 2,
		CreatedAt: day(1), LastAccessed: day(3), Source: memory.SourceCLI, Session: "s1", Position: 4,
		ContentHash: "c0ffee", Model: "mneme-static", State: memory.Live,
	}
}

// fixed answers every question the same way, for golden files.
func fixed() fake {
	m := aMemory(idA)
	link := memory.Link{ID: "0e5a6a4e-0000-8000-8000-0000000000ff", SourceID: idB, TargetID: idA, Type: memory.LinkBuildsOn, CreatedAt: day(2)}
	col := memory.CollectionReport{Collection: memory.Memories, Scanned: 10, Merged: 1, Decayed: 3, Groups: []memory.MergedGroup{
		{SurvivorID: idA, MergedIDs: []string{idB}, Similarity: 0.953, Text: m.Text},
	}, Announced: 1, Nearly: []memory.NearlyPruned{{ID: idB, Project: "shop", Text: "The old shop ran on two disks."}}}
	return fake{
		store: func(in memory.StoreInput) (memory.StoreResult, error) {
			return memory.StoreResult{ID: idA, Status: memory.Stored, Project: in.Project, Collection: in.Collection, WorkflowID: "store/x", Redacted: []string{"email"}}, nil
		},
		recall: func(memory.Query) (memory.RecallResult, error) {
			return memory.RecallResult{BelowBar: 2, Hits: []memory.Hit{{
				ID: m.ID, Text: m.Text, Collection: m.Collection, Project: m.Project, Type: m.Type, Tags: m.Tags, Confidence: 0.55,
				Score: 0.875, Strong: true, CreatedAt: m.CreatedAt, LastAccessed: m.LastAccessed,
			}}}, nil
		},
		forget: func(in memory.ForgetInput) (memory.ForgetReceipt, error) {
			if len(in.Filter.IDs) == 1 {
				return memory.ForgetReceipt{IDs: in.Filter.IDs, Count: 1, DryRun: in.DryRun, Purged: in.Purge && !in.DryRun, Verified: !in.DryRun, WorkflowID: "forget/x"}, nil
			}
			return memory.ForgetReceipt{IDs: []string{idA, idB}, Count: 2, Links: 1, DryRun: in.DryRun, Purged: in.Purge && !in.DryRun, Verified: !in.DryRun, WorkflowID: "forget/x"}, nil
		},
		organize: func(in memory.OrganizeInput, p func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
			r := memory.OrganizeReport{WorkflowID: "organize/x", RunID: "r", DryRun: in.DryRun, StartedAt: day(4), TookSeconds: 1.5, Collections: []memory.CollectionReport{col}}
			if !in.Yes {
				r.Held = []memory.HeldPrune{{Project: "shop", Memories: 40, Live: 120, HeldAt: day(4)}}
			}
			if in.Apply != nil {
				r.Applied = in.Apply.ID
			}
			p(r)
			return r, nil
		},
		plan: fixedPlan,
		cancel: func(id string) ([]string, error) {
			if id == "organize/ended" {
				return []string{}, nil
			}
			return []string{"organize/x"}, nil
		},
		get: func(ids []string) ([]memory.Details, error) {
			var out []memory.Details
			for _, id := range ids {
				if id == idA || id == idB {
					out = append(out, memory.Details{Memory: aMemory(id), Links: []memory.Link{link}})
				}
			}
			return out, nil
		},
		update: func(in memory.UpdateInput) (memory.Memory, error) { return in.Apply(aMemory(in.ID)), nil },
		archive: func(b conversation.Batch) (conversation.Archived, error) {
			return conversation.Archived{Added: len(b.Messages)}, nil
		},
		link: func(l memory.Link) (memory.Link, error) { l.ID, l.CreatedAt = link.ID, day(2); return l, nil },
		related: func(string, int, int) ([]memory.Related, error) {
			return []memory.Related{{Memory: aMemory(idB), Link: link, Depth: 1}}, nil
		},
		history: func(string) (memory.History, error) {
			before := m
			before.Confidence = 0.5
			return memory.History{Memory: m, Versions: []memory.Version{
				{Seq: 1, MemoryID: idA, At: day(1), Action: "store", WorkflowID: "store/x", RunID: "r", Step: "save", After: &before},
				{Seq: 2, MemoryID: idA, At: day(3), Action: "merge", WorkflowID: "store/y", RunID: "r", Step: "save", Before: &before, After: &m},
			}, Audit: []memory.Audit{{ID: 7, User: "me", Action: "store", At: day(1), AffectedIDs: []string{idA}, Project: m.Project, Collection: m.Collection, WorkflowID: "store/x", RunID: "r", Step: "save"}}}, nil
		},
		list: func(p memory.Page) ([]memory.Memory, error) {
			switch {
			case p.After == "" && p.Skip == 0:
				return []memory.Memory{m}, nil
			case p.After == idA || p.Skip == 1:
				return []memory.Memory{aMemory(idB)}, nil
			default:
				return nil, nil
			}
		},
		rebuild: func(_ memory.RebuildInput, p func(memory.RebuildReport)) (memory.RebuildReport, error) {
			r := memory.RebuildReport{WorkflowID: "rebuild/x", Model: "mneme-static", Done: true, Equal: true, Collections: []memory.RebuildCollection{
				{Collection: memory.Memories, Compared: 2, Written: 1, Ledger: 2, Index: 2, Mended: []string{idA}, Equal: true},
			}}
			p(r)
			return r, nil
		},
		reembed: func(in memory.ReembedInput, p func(memory.ReembedReport)) (memory.ReembedReport, error) {
			r := memory.ReembedReport{WorkflowID: "reembed/x", From: "mneme-static", Model: in.Model, Stage: memory.ReembedFlipped, Memories: 12, Done: true}
			p(memory.ReembedReport{Model: in.Model, Stage: memory.ReembedBuilding, Memories: 5, Left: 7})
			switch {
			case in.Drop:
				return memory.ReembedReport{From: "all-minilm", Stage: memory.ReembedDropped, Done: true}, nil
			case in.NoFlip:
				r.Stage = memory.ReembedBuilt
			}
			r.Answers = &memory.AnswersCompared{Asked: 4, Overlap: 0.75, SameFirst: 3}
			return r, nil
		},
		start: func(string) (memory.ImportProgress, error) { return memory.ImportProgress{}, nil },
		batch: func(context.Context, string, memory.ImportBatch) (memory.ImportProgress, error) {
			return memory.ImportProgress{}, nil
		},
		finish: func(string) (memory.ImportProgress, error) {
			return memory.ImportProgress{Batches: 1, Stored: 2, Change: "run-1"}, nil
		},
		bringing: func(items []memory.StoreInput, scope memory.ImportScope) (memory.ImportPlan, error) {
			return memory.PlanImport(items, scope, nil, nil), nil
		},
		census: func(in memory.CensusInput) (memory.Census, error) {
			return memory.Census{
				Types: []memory.Tally{{Name: "fact", Count: 3}}, Collections: []memory.Tally{{Name: memory.Memories, Count: 3}},
				Projects: []memory.Tally{{Name: strings.Join(in.Projects, "+"), Count: 3}}, Tags: []memory.Tally{{Name: "db", Count: 2}, {Name: "ops", Count: 1}},
				Growth: []memory.Month{{From: day(1), Count: 3}}, Bytes: 12_345_678,
			}, nil
		},
		stats: func() (memory.Stats, error) {
			return memory.Stats{Live: map[string]int{memory.Memories: 2}, States: map[memory.State]int{memory.Live: 2}, Projects: 1, Model: "mneme-static", Dimension: 256}, nil
		},
	}
}

// Resolve knows two memories, as the ledger would.
func (f fake) Resolve(_ context.Context, refs []string) ([]string, error) {
	var found []memory.Candidates
	for _, ref := range refs {
		c := memory.Candidates{Ref: ref}
		for _, id := range []string{idA, idB} {
			if memory.Names(ref, id) {
				c.Memories = append(c.Memories, memory.Memory{ID: id, Text: "one of two", State: memory.Live})
			}
		}
		found = append(found, c)
	}
	return memory.Resolve(refs, found, true)
}

func (f fake) Census(_ context.Context, in memory.CensusInput) (memory.Census, error) {
	if f.census == nil {
		return memory.Census{}, errUnexpected
	}
	return f.census(in)
}
