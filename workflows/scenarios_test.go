package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// recorded names a workflow that ran in a rig.
type recorded struct {
	rig      *rig
	workflow string
}

// scenarios are the ways of the workflows worth keeping, by name. Each waits
// until its workflow has ended.
func scenarios() map[string]func(t *testing.T) recorded {
	out := map[string]func(t *testing.T) recorded{
		"organize-stages": organizeTidies, "organize-rehearsed": organizeDry, "organize-stages-continued": organizeContinued,
		"organize-across": organizeTidies, "organize-across-continued": organizeContinued, "organize-planned": organizeDry,
		"organize-guarded": organizeGuarded, "pin-question": questionPinned,
		"organize-applied": organizeApplied, "organize-cancelled": organizeCancelled,
		"import-batches": importBatches, "rebuild-walked": rebuildEqual, "rebuild-walked-new-model": rebuildNewModel,
		"rebuild-check-equal": rebuildCheckEqual, "rebuild-check-lost": rebuildCheckLost,
		"reembed": reembedded(memory.ReembedInput{Model: "wordy"}), "reembed-dropped": reembedded(memory.ReembedInput{Drop: true}),
		"rebuild-beside": rebuiltBeside,
		"snapshot":       snapshotTaken, "backup": backedUp,
		"undo": undoOrganized(workflows.UndoState{}), "undo-continued": undoOrganized(workflows.UndoState{PerRun: 2, Page: 3}),
		"restore": restored, "purge": purged, "verify": verified, "purge-ledger": purged, "redact": redactedAnew,
	}
	for name, s := range conversationScenarios() {
		out[name] = func(t *testing.T) recorded { return s.run(t) }
	}
	for name, s := range simple() {
		out[name] = func(t *testing.T) recorded { return s.run(t) }
	}
	return out
}

// simpleScenario is one call on a rig that holds a few memories.
type simpleScenario struct {
	prefix string // of the workflow's id
	down   int64  // how often the ledger does not answer the call
	call   func(t *testing.T, r *rig, ids []string) error
}

func simple() map[string]simpleScenario {
	return map[string]simpleScenario{
		"store-plain":       {"store/", 0, storing("Releases are cut on Thursdays.")},
		"store-confirmed":   {"store/", 0, storing("The API listens on port 8443.")},
		"store-waited":      {"store/", 3, storing("Releases are cut on Thursdays.")},
		"store-joined":      {"store/", 3, storingTwice},
		"store-unasked":     {"store/", 0, storingUnasked},
		"recall-found":      {"recall/", 0, recalling("which port does the API use")},
		"recall-nothing":    {"recall/", 0, recalling("zebra")},
		"forget-dry":        {"forget/", 0, forgetting(true)},
		"forget-look":       {"forget/", 1, forgetting(true)},
		"forget-real":       {"forget/", 0, forgetting(false)},
		"forget-waited":     {"forget/", 3, forgetting(false)},
		"link-plain":        {"link/", 0, linking},
		"link-waited":       {"link/", 3, linking},
		"read-get":          {"read/get", 0, reading},
		"read-list":         {"read/list", 0, listing},
		"duplicate-found":   {"duplicate/", 0, asking("The API listens on port 8443.")},
		"duplicate-none":    {"duplicate/", 0, asking("Releases are cut on Thursdays.")},
		"credit-helped":     {"credit/", 0, crediting},
		"credit-waited":     {"credit/", 3, crediting},
		"update-text":       {"update/", 0, updating(memory.UpdateInput{Text: ptr("The API listens on port 9443.")})},
		"update-pinned":     {"update/", 0, updating(memory.UpdateInput{Pinned: ptr(true)})},
		"update-refused":    {"update/", 0, updating(memory.UpdateInput{Text: ptr("The tests need PostgreSQL.")})},
		"update-waited":     {"update/", 3, updating(memory.UpdateInput{Text: ptr("The API listens on port 9443.")})},
		"merge-plain":       {"merge/", 0, merging},
		"merge-waited":      {"merge/", 3, merging},
		"record-events":     {"record/", 0, recording},
		"record-waited":     {"record/", 3, recording},
		"forget-mergedaway": {"forget/", 0, forgettingMerged},
	}
}

func (s simpleScenario) run(t *testing.T) recorded {
	r := newRig(t)
	flaky := &flakyLedger{Ledger: r.ledger}
	r.acts.Ledger = flaky
	r.work(t)
	ids := []string{r.store(t, "The API listens on port 8443."), r.store(t, "The tests need PostgreSQL.")}
	flaky.downFor.Store(s.down)
	before := r.workflowIDs(t)
	if err := s.call(t, r, ids); err != nil && memory.CodeOf(err) == memory.Internal {
		t.Fatal(err)
	}
	var id string
	eventually(t, "the workflow has ended", func() bool {
		for found, status := range r.workflowIDs(t) {
			if before[found] != status && len(found) > len(s.prefix) && found[:len(s.prefix)] == s.prefix &&
				status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING.String() {
				id = found
				return true
			}
		}
		return false
	})
	if id == "" || flaky.downFor.Load() > 0 {
		t.Fatalf("workflow %q ended, and the ledger was to fail %d more times", id, flaky.downFor.Load())
	}
	return recorded{r, id[:len(id)-len(suffix(id))]}
}

// workflowIDs returns the ids and runs of all workflows with their status.
func (r *rig) workflowIDs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	list, err := r.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: r.namespace, PageSize: 1000})
	check(t, err)
	for _, e := range list.GetExecutions() {
		out[e.GetExecution().GetWorkflowId()+" "+e.GetExecution().GetRunId()] = e.GetStatus().String()
	}
	return out
}

// suffix is the run that workflowIDs puts behind an id.
func suffix(id string) string { return id[len(id)-37:] }

type call = func(t *testing.T, r *rig, ids []string) error

func storing(text string) call {
	return func(t *testing.T, r *rig, _ []string) error {
		_, err := r.Store(t.Context(), memory.StoreInput{Text: text, Project: "p", Source: memory.SourceTool})
		return err
	}
}

// storingTwice stores a text again, with a tag, while its first store waits.
func storingTwice(t *testing.T, r *rig, ids []string) error {
	if err := storing("Releases are cut on Thursdays.")(t, r, ids); err != nil {
		return err
	}
	_, err := r.Store(t.Context(), memory.StoreInput{Text: "Releases are cut on Thursdays.", Project: "p", Tags: []string{"release"}})
	return err
}

// storingUnasked starts a store whose question never comes.
func storingUnasked(t *testing.T, r *rig, _ []string) error {
	_, err := r.temporal.ExecuteWorkflow(t.Context(), startOptions("store/unasked"), workflows.StoreMemory,
		memory.StoreInput{Text: "Releases are cut on Thursdays.", Project: "p"})
	return err
}

func recalling(text string) call {
	return func(t *testing.T, r *rig, _ []string) error {
		_, err := r.Recall(t.Context(), memory.Query{Text: text, Project: "p"})
		return err
	}
}

func forgetting(dry bool) call {
	return func(t *testing.T, r *rig, ids []string) error {
		_, err := r.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: ids}, DryRun: dry})
		return err
	}
}

func forgettingMerged(t *testing.T, r *rig, ids []string) error {
	g, err := r.Merge(t.Context(), ids)
	check(t, err)
	_, err = r.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: g.MergedIDs}})
	return err
}

func linking(t *testing.T, r *rig, ids []string) error {
	_, err := r.Link(t.Context(), memory.Link{SourceID: ids[0], TargetID: ids[1], Type: memory.LinkBuildsOn})
	return err
}

func reading(t *testing.T, r *rig, ids []string) error {
	_, err := r.Get(t.Context(), ids)
	return err
}

func listing(t *testing.T, r *rig, _ []string) error {
	_, err := r.List(t.Context(), memory.Page{Newest: true})
	return err
}

func asking(text string) call {
	return func(t *testing.T, r *rig, _ []string) error {
		_, err := r.Duplicate(t.Context(), memory.StoreInput{Text: text, Project: "p"})
		return err
	}
}

func crediting(t *testing.T, r *rig, ids []string) error {
	_, err := r.Credit(t.Context(), memory.CreditInput{IDs: ids, Helped: true, Project: "p"})
	return err
}

func updating(in memory.UpdateInput) call {
	return func(t *testing.T, r *rig, ids []string) error {
		in.ID = ids[0]
		_, err := r.Update(t.Context(), in)
		return err
	}
}

func merging(t *testing.T, r *rig, ids []string) error {
	_, err := r.Merge(t.Context(), ids)
	return err
}

func recording(t *testing.T, r *rig, ids []string) error {
	return r.Record(t.Context(), []memory.Event{
		{ID: "s1/1", Action: "inject", Project: "p", Session: "s1", MemoryIDs: ids, Details: map[string]any{"tokens": 24}},
	})
}

// untidy fills a rig with something for every step of organize: expired,
// unused, often recalled and duplicate memories.
func (r *rig) untidy(t *testing.T) {
	t.Helper()
	r.acts.Now = func() time.Time { return time.Now().Add(-100 * 24 * time.Hour) }
	r.work(t)
	for text, collection := range map[string]string{
		"The demo runs on a borrowed laptop.": memory.ShortTerm,
		"The old server had two disks.":       memory.Memories,
	} {
		_, err := r.Store(t.Context(), memory.StoreInput{Text: text, Project: "p", Collection: collection})
		check(t, err)
	}
	announced := memory.Scope{Now: time.Now().Add(-memory.PruneNotice - time.Hour)}
	_, err := r.ledger.Announce(t.Context(), memory.Op{WorkflowID: "untidy", Step: "announce", Action: memory.ActionAnnounce}, announced)
	check(t, err)
	r.stop()
	r.acts = copyOf(r.acts)
	r.work(t)
	earns := "Flaky tests are quarantined on Fridays."
	_, err = r.Store(t.Context(), memory.StoreInput{Text: earns, Project: "p", Collection: memory.ShortTerm})
	check(t, err)
	for range memory.PromoteAfter {
		found, err := r.Recall(t.Context(), memory.Query{Text: earns, Project: "p", Collections: []string{memory.ShortTerm}, MinScore: ptr(0.0)})
		check(t, err)
		if len(found.Hits) == 0 {
			t.Fatal("nothing was recalled")
		}
	}
	batch := memory.ImportBatch{}
	for _, text := range []string{
		"The tests use Go.", "Tests use Go", "The API listens on port 8443.", "API listens on port 8443",
		"Deploys run from the main branch.", "Deploys run from main branch",
	} {
		batch.Items = append(batch.Items, memory.StoreInput{Text: text, Project: "p"})
	}
	_, err = r.ImportBatch(t.Context(), "untidy", batch)
	check(t, err)
	_, err = r.ImportFinish(t.Context(), "untidy")
	check(t, err)
	// Recalls are counted after their answer.
	eventually(t, "the recalls are counted", func() bool {
		page, err := r.ledger.Records(t.Context(), memory.Page{Collection: memory.ShortTerm})
		check(t, err)
		for _, m := range page {
			if m.AccessCount >= memory.PromoteAfter {
				return true
			}
		}
		return false
	})
}

// copyOf returns the same steps with today's clock.
func copyOf(a *activities.Activities) *activities.Activities {
	return &activities.Activities{
		Embedder: a.Embedder, Ledger: a.Ledger, Index: a.Index, Redactor: a.Redactor, Now: time.Now,
	}
}

func (r *rig) organize(t *testing.T, in memory.OrganizeInput, state workflows.OrganizeState) (memory.OrganizeReport, string) {
	t.Helper()
	id := "organize/test"
	run, err := r.temporal.ExecuteWorkflow(t.Context(), startOptions(id), workflows.OrganizeMemory, in, state)
	check(t, err)
	var report memory.OrganizeReport
	check(t, run.Get(t.Context(), &report))
	return report, id
}

func organizeTidies(t *testing.T) recorded {
	r := newRig(t)
	r.untidy(t)
	report, id := r.organize(t, memory.OrganizeInput{}, workflows.OrganizeState{})
	total := totals(report)
	if total.Expired != 1 || total.Promoted != 1 || total.Merged != 3 || total.Decayed == 0 || total.Pruned != 1 {
		t.Fatalf("organize did not do everything: %+v", total)
	}
	return recorded{r, id}
}

func organizeDry(t *testing.T) recorded {
	r := newRig(t)
	r.untidy(t)
	report, id := r.organize(t, memory.OrganizeInput{DryRun: true}, workflows.OrganizeState{})
	if total := totals(report); total.Expired != 1 || total.Promoted != 1 || total.Merged != 3 || total.Decayed == 0 || total.Pruned != 1 {
		t.Fatalf("the dry run found %+v", report)
	}
	return recorded{r, id}
}

func organizeContinued(t *testing.T) recorded {
	r := newRig(t)
	r.untidy(t)
	report, id := r.organize(t, memory.OrganizeInput{Collections: []string{memory.Memories, memory.Learnings}}, workflows.OrganizeState{PerRun: 4, Page: 2})
	if runs := r.runs(t, id); runs < 3 || totals(report).Merged != 3 {
		t.Fatalf("after %d runs %+v", runs, report)
	}
	return recorded{r, id}
}

func organizeApplied(t *testing.T) recorded {
	r := newRig(t)
	r.untidy(t)
	dry, _ := r.organize(t, memory.OrganizeInput{DryRun: true}, workflows.OrganizeState{})
	page, err := r.Plan(t.Context(), memory.PlanQuery{ID: dry.WorkflowID})
	check(t, err)
	report, err := r.Organize(t.Context(), memory.OrganizeInput{
		Apply: &memory.PlanRef{ID: page.Head.ID, Digest: page.Head.Digest},
	}, nil)
	check(t, err)
	want, got := totals(dry), totals(report)
	want.Scanned, got.Scanned = 0, 0
	if diff := cmp.Diff(want, got); diff != "" || got.Merged != 3 {
		t.Fatalf("the plan says - and was carried out +:\n%s", diff)
	}
	return recorded{r, report.WorkflowID}
}

// questionPinned pins a question and shows it.
func questionPinned(t *testing.T) recorded {
	r := realRig(t)
	id := r.store(t, "The API listens on port 8443.")
	_, err := r.PinQuestion(t.Context(), memory.PinnedQuestion{Project: "q", Text: "which port", Expect: []string{id}})
	if memory.CodeOf(err) != memory.NotFound {
		t.Errorf("pinned with an answer of another project: %v", err)
	}
	before := r.workflowIDs(t)
	q, err := r.PinQuestion(t.Context(), memory.PinnedQuestion{Project: "p", Text: "which port does the API use", Expect: []string{memory.ShortID(id)}})
	check(t, err)
	listed, err := r.Questions(t.Context(), "p")
	check(t, err)
	if len(listed) != 1 || listed[0].ID != q.ID || listed[0].Expect[0] != id {
		t.Errorf("pinned %+v, listed %+v", q, listed)
	}
	for found := range r.workflowIDs(t) {
		if before[found] == "" && strings.HasPrefix(found, "pin-question/") {
			eventually(t, "the pinning has ended", func() bool { return r.workflowIDs(t)[found] == "Completed" })
			return recorded{r, found[:len(found)-len(suffix(found))]}
		}
	}
	t.Fatal("no workflow pinned the question")
	return recorded{}
}

// organizeGuarded has a run hold its merges against a pinned question and a
// recall, both of which keep their answers.
func organizeGuarded(t *testing.T) recorded {
	r := newRig(t)
	r.untidy(t)
	const question = "which port does the API listen on"
	answer := func() memory.Hit {
		found, err := r.Recall(t.Context(), memory.Query{Text: question, Project: "p"})
		check(t, err)
		if len(found.Hits) == 0 {
			t.Fatal("nothing was recalled")
		}
		return found.Hits[0]
	}
	first := answer()
	q, err := r.PinQuestion(t.Context(), memory.PinnedQuestion{Project: "p", Text: question, Expect: []string{first.ID}})
	check(t, err)
	r.stop()
	r.acts = copyOf(r.acts)
	asked := map[string]bool{}
	r.acts.Recalls = func(ctx context.Context, most int) ([]activities.PastRecall, error) {
		found, err := activities.RecallsOfTemporal(ctx, most)
		for _, f := range found {
			asked[f.Query.Text] = true
		}
		return found, err
	}
	r.work(t)
	report, id := r.organize(t, memory.OrganizeInput{}, workflows.OrganizeState{})
	if totals(report).Merged != 3 || len(report.LeftOut) > 0 || !asked[question] {
		t.Errorf("asked again %v, and reported %+v", asked, report)
	}
	listed, err := r.Questions(t.Context(), "")
	check(t, err)
	if now := answer(); len(listed) != 1 || now.ID != listed[0].Expect[0] {
		t.Errorf("%s answers, and %+v is pinned", now.ID, listed)
	}
	_, err = r.UnpinQuestion(t.Context(), memory.ShortID(q.ID), "me")
	check(t, err)
	listed, err = r.Questions(t.Context(), "")
	check(t, err)
	if len(listed) > 0 {
		t.Errorf("still pinned: %+v", listed)
	}
	return recorded{r, id}
}

// organizeCancelled ends a run while it looks for duplicates.
func organizeCancelled(t *testing.T) recorded {
	r := newRig(t)
	halting := &haltingIndex{Index: r.acts.Index, reached: make(chan struct{}), on: make(chan struct{})}
	r.acts.Index = halting
	r.work(t)
	r.store(t, "The API listens on port 8443.")
	_, err := r.Store(t.Context(), memory.StoreInput{Text: "The release took two hours.", Project: "p", Type: memory.TypeEpisode})
	check(t, err)
	told, done := make(chan string, 1000), make(chan error, 1)
	go func() {
		_, err := r.Organize(t.Context(), memory.OrganizeInput{}, func(p memory.OrganizeReport) { told <- p.WorkflowID })
		done <- err
	}()
	id := <-told
	<-halting.reached
	if _, err := r.Organize(t.Context(), memory.OrganizeInput{}, nil); memory.CodeOf(err) != memory.Conflict || !strings.Contains(err.Error(), id) {
		t.Errorf("beside %s another run ended with: %v", id, err)
	}
	ids, err := r.CancelOrganize(t.Context(), id)
	check(t, err)
	if len(ids) != 1 || ids[0] != id {
		t.Errorf("cancelled %v", ids)
	}
	if err := <-done; memory.CodeOf(err) != memory.Conflict || !strings.Contains(memory.HintOf(err), "mneme undo "+id) {
		t.Errorf("whoever waited was told: %v", err)
	}
	close(halting.on)
	ids, err = r.CancelOrganize(t.Context(), id)
	check(t, err)
	if len(ids) > 0 {
		t.Errorf("cancelled once more: %v", ids)
	}
	_, err = r.Organize(t.Context(), memory.OrganizeInput{}, nil) // has its turn
	check(t, err)
	return recorded{r, id}
}

func totals(report memory.OrganizeReport) memory.CollectionReport {
	var sum memory.CollectionReport
	for _, c := range report.Collections {
		sum.Expired += c.Expired
		sum.Promoted += c.Promoted
		sum.Merged += c.Merged
		sum.Decayed += c.Decayed
		sum.Pruned += c.Pruned
	}
	return sum
}

func importBatches(t *testing.T) recorded {
	r := realRig(t)
	startImport(t, r, "history", 2)
	for _, n := range []int{0, 2, 1, 2, 3} { // one early, one twice
		_, err := r.ImportBatch(t.Context(), "history", batchOf(n, 2))
		check(t, err)
	}
	done, err := r.ImportFinish(t.Context(), "history")
	check(t, err)
	if done != (memory.ImportProgress{Batches: 4, Stored: 8}) {
		t.Fatalf("imported %+v", done)
	}
	r.ended(t, "import/history")
	return recorded{r, "import/history"}
}

func (r *rig) ended(t *testing.T, id string) {
	t.Helper()
	eventually(t, id+" has ended", func() bool { return r.status(t, id) == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED })
}

func rebuildEqual(t *testing.T) recorded {
	r := realRig(t)
	r.store(t, "The API listens on port 8443.")
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	check(t, err)
	if !report.Equal || !report.Done {
		t.Fatalf("rebuilt %+v", report)
	}
	return recorded{r, report.WorkflowID}
}

func rebuildNewModel(t *testing.T) recorded {
	r := realRig(t)
	r.store(t, "The API listens on port 8443.")
	op := memory.Op{WorkflowID: "test", Step: "model", Action: memory.ActionRebuild}
	check(t, r.ledger.ReplaceModel(t.Context(), op, "another-model", 3)) // as if the ledger came from elsewhere
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	check(t, err)
	if !report.Equal || report.Reembedded != 1 {
		t.Fatalf("rebuilt %+v", report)
	}
	return recorded{r, report.WorkflowID}
}

func rebuildCheckEqual(t *testing.T) recorded {
	r := realRig(t)
	r.store(t, "The API listens on port 8443.")
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{Check: true}, nil)
	check(t, err)
	if !report.Equal || !report.Done || len(report.Collections) > 0 {
		t.Fatalf("checked %+v", report)
	}
	return recorded{r, report.WorkflowID}
}

func rebuildCheckLost(t *testing.T) recorded {
	r := realRig(t)
	id := r.store(t, "The API listens on port 8443.")
	check(t, r.acts.Index.Delete(t.Context(), memory.Memories, []string{id}))
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{Check: true}, nil)
	check(t, err)
	if !report.Equal || len(report.Collections) != 1 || report.Collections[0].Written != 1 {
		t.Fatalf("checked %+v", report)
	}
	return recorded{r, report.WorkflowID}
}

// noFiles takes snapshots that are written nowhere: a real one would put the
// path of this machine's folder into the history.
type noFiles struct{}

func (noFiles) Snapshot(context.Context, memory.SnapshotInput, func(memory.SnapshotReport)) (memory.SnapshotReport, error) {
	return memory.SnapshotReport{File: "audit.duckdb", Rows: 12, NewRows: 12, Memories: 3, UpTo: 12, Bytes: 4096}, nil
}

// Backup implements activities.Backuper.
func (noFiles) Backup(_ context.Context, in memory.BackupInput, _ func(memory.BackupReport)) (memory.BackupReport, error) {
	return memory.BackupReport{Path: in.Dir + "/b", Host: "here", Bytes: 4096, Live: 3, Done: 12, Rows: 12}, nil
}

func backedUp(t *testing.T) recorded {
	r := newRig(t)
	r.acts.Backups = noFiles{}
	r.work(t)
	report, err := r.Backup(t.Context(), memory.BackupInput{Dir: "/backups", Keep: 7, Every: 24 * time.Hour}, nil)
	check(t, err)
	if report.Rows != 12 {
		t.Fatal(fmt.Sprint(report))
	}
	return recorded{r, "backup"}
}

func snapshotTaken(t *testing.T) recorded {
	r := newRig(t)
	r.acts.Snapshots = noFiles{}
	r.work(t)
	report, err := r.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	check(t, err)
	if report.Rows != 12 {
		t.Fatal(fmt.Sprint(report))
	}
	return recorded{r, "snapshot"}
}
