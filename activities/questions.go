package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/mneme-memory/mneme/memory"
)

// replayed is how many of the last recalls an organize run asks again.
const replayed = 30

// PinInput pins a question, or takes the one of an id away.
type PinInput struct {
	Question memory.PinnedQuestion `json:"question"`
	Remove   string                `json:"remove,omitempty"`
	User     string                `json:"user,omitempty"`
}

// PinQuestion pins a question or takes one away, and returns it.
func (a *Activities) PinQuestion(ctx context.Context, in PinInput) (memory.PinnedQuestion, error) {
	if in.Remove != "" {
		return a.Ledger.UnpinQuestion(ctx, op(ctx, in.User, memory.ActionPinQuestion, "unpin"), in.Remove)
	}
	q, err := in.Question.Clean()
	if err != nil {
		return q, err
	}
	q.Text, _ = a.Redactor.Redact(q.Text)
	return a.Ledger.PinQuestion(ctx, op(ctx, in.User, memory.ActionPinQuestion, "pin"), q)
}

// GuardInput asks which groups that a step found may be merged.
type GuardInput struct {
	Scope memory.Scope `json:"scope"`
	User  string       `json:"user,omitempty"`
	Step  string       `json:"step"`
	Found string       `json:"found"` // the step that kept the groups
}

// GuardGroups keeps, under its step, those groups whose merges lose no question
// its answer: neither a pinned one nor one of the last recalls. The others are
// named, and left for a later run.
func (a *Activities) GuardGroups(ctx context.Context, in GuardInput) (memory.FoundGroups, error) {
	op := chained(ctx, in.User, memory.ActionTidy, in.Step)
	watch, err := a.watchQuestions(ctx)
	if err != nil {
		return memory.FoundGroups{}, err
	}
	var out memory.Groups
	for from := 0; ; from += guardPage {
		groups, err := a.Ledger.KeptGroups(ctx, op.WorkflowID, in.Found, from, guardPage)
		if err != nil {
			return memory.FoundGroups{}, err
		}
		if len(groups) == 0 {
			return a.Ledger.KeepGroups(ctx, op, in.Scope, out)
		}
		activity.RecordHeartbeat(ctx, from)
		for _, ids := range groups {
			left, err := a.wouldLose(ctx, watch, ids, in.Scope)
			if err != nil {
				return memory.FoundGroups{}, err
			}
			if left != nil {
				out.LeftOut = append(out.LeftOut, *left)
				continue
			}
			out.IDs = append(out.IDs, ids)
		}
	}
}

// guardPage is how many groups are read at a time.
const guardPage = 500

// wouldLose says that a merge is left out because of a question that would lose
// its answer; nil if it may be done.
func (a *Activities) wouldLose(ctx context.Context, watch *memory.Watch, ids []string, scope memory.Scope) (*memory.LeftOut, error) {
	how := memory.MergeFacts
	switch {
	case scope.Plan != "":
		how = memory.MergeInto(ids[0])
	case scope.Across:
		how = memory.MergeAcross
		survivors, err := a.Ledger.Survivors(ctx, ids)
		if err != nil {
			return nil, err
		}
		ids = slices.Clone(ids)
		for i, id := range ids {
			ids[i] = cmp.Or(survivors[id], id)
		}
	}
	if !watch.Touches(ids) {
		return nil, nil
	}
	members, err := a.Ledger.Members(ctx, ids)
	if err != nil {
		return nil, err
	}
	group := slices.DeleteFunc(membersOf(members, slices.Compact(slices.Sorted(slices.Values(ids)))), func(r memory.Record) bool {
		return scope.Collection != "" && r.Collection != scope.Collection
	})
	survivor, after, gone := how(group)
	if survivor < 0 || len(gone) == 0 {
		return nil, nil
	}
	goneIDs := make([]string, len(gone))
	for i, g := range gone {
		goneIDs[i] = group[g].ID
	}
	if lost, loses := watch.Merge(after, goneIDs); loses {
		left := lost.LeftOut(append([]string{after.ID}, goneIDs...))
		return &left, nil
	}
	return nil, nil
}

// watchQuestions asks the pinned questions and the last recalls as they would
// be answered now.
func (a *Activities) watchQuestions(ctx context.Context) (*memory.Watch, error) {
	ctx = a.pin(ctx)
	pinned, err := a.Ledger.Questions(ctx, "")
	if err != nil {
		return nil, err
	}
	var asked []memory.Asked
	for _, q := range pinned {
		query := memory.Query{Text: q.Text, Project: q.Project, Limit: memory.AnswerWithin}
		asked = append(asked, memory.Asked{
			ID: q.ID, Name: "the pinned question " + memory.ShortID(q.ID), Query: query, Answers: q.Expect, Within: memory.AnswerWithin,
		})
	}
	for _, r := range a.recalls(ctx) {
		asked = append(asked, memory.Asked{Name: "a recall of " + r.At.UTC().Format("2006-01-02 15:04"), Query: r.Query, Within: r.Query.Limit})
	}
	asked, err = a.answered(ctx, asked)
	if err != nil {
		return nil, err
	}
	return memory.NewWatch(a.calibration(ctx), a.Now(), asked), nil
}

// answered adds to questions what the index has for them. A recall is expected
// to keep its best answer, if that is a strong one.
func (a *Activities) answered(ctx context.Context, asked []memory.Asked) ([]memory.Asked, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	texts := make([]string, len(asked))
	for i, q := range asked {
		texts[i] = q.Query.Text
	}
	var vectors []memory.Vector
	for page := range slices.Chunk(texts, embedBatch) {
		some, _, err := a.embedQueries(ctx, page) // without the model, words alone must do
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, some...)
	}
	out := asked[:0]
	for i, q := range asked {
		q.Query.Limit, q.Vector = max(q.Query.Limit, 1), vectors[i]
		found, _, err := a.find(ctx, q.Query, q.Vector, map[string]float64{})
		if errors.Is(err, memory.ErrNoCollection) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("ask a question again: %w", err)
		}
		q.Candidates = found.said().there(found.list)
		if q.ID == "" {
			plain := q.Query
			plain.MinScore = nil
			hits := memory.Rank(plain, a.calibration(ctx), q.Candidates, a.Now()).Hits
			if len(hits) == 0 || !hits[0].Strong {
				continue
			}
			q.Answers = []string{hits[0].ID}
		}
		out = append(out, q)
	}
	return out, nil
}

// PastRecall is a recall that was answered.
type PastRecall struct {
	Query memory.Query
	At    time.Time
}

// recalls returns the last recalls of this ledger. The database does not keep their
// words: recalls reads the words from Temporal's encrypted histories, for as long as
// Temporal keeps them. If Temporal cannot be asked, recalls returns none.
func (a *Activities) recalls(ctx context.Context) []PastRecall {
	read := a.Recalls
	if read == nil {
		read = RecallsOfTemporal
	}
	found, err := read(ctx, replayed)
	if err != nil {
		activity.GetLogger(ctx).Warn("The last recalls cannot be asked again.", "err", err)
		return nil
	}
	var out []PastRecall
	seen := map[string]bool{}
	for _, r := range found {
		q := r.Query
		key := q.Project + "\x00" + q.Text
		if q.Text == "" || q.Trial || q.Work || q.AsOf != nil || q.Source == "doctor" || seen[key] {
			continue
		}
		seen[key] = true
		q.Limit = min(max(q.Limit, memory.DefaultLimit), memory.MaxLimit)
		q.Exclude, q.Explain = nil, false
		out = append(out, PastRecall{q, r.At})
	}
	return out
}

// RecallsOfTemporal reads the inputs of the workflows that answered recalls.
func RecallsOfTemporal(ctx context.Context, most int) ([]PastRecall, error) {
	c := activity.GetClient(ctx)
	page, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		PageSize: int32(most), //nolint:gosec // a constant
		Query:    fmt.Sprintf("WorkflowType = 'RecallMemory' AND ExecutionStatus = 'Completed' AND TaskQueue = '%s'", activity.GetInfo(ctx).TaskQueue),
	})
	if err != nil {
		return nil, err
	}
	var out []PastRecall
	for _, w := range page.GetExecutions() {
		history := c.GetWorkflowHistory(ctx, w.GetExecution().GetWorkflowId(), w.GetExecution().GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		if !history.HasNext() {
			continue
		}
		first, err := history.Next()
		if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
			continue
		}
		if err != nil {
			return out, err
		}
		var q memory.Query
		input := first.GetWorkflowExecutionStartedEventAttributes().GetInput()
		if err := converter.GetDefaultDataConverter().FromPayloads(input, &q); err != nil {
			return out, err
		}
		out = append(out, PastRecall{q, w.GetStartTime().AsTime()})
	}
	return out, nil
}
