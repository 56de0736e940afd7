package activities

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// ReadInput is one question to the ledger; exactly one field is set.
type ReadInput struct {
	Get     []string             `json:"get,omitempty"`
	Resolve []string             `json:"resolve,omitempty"` // beginnings of ids
	Related *RelatedInput        `json:"related,omitempty"`
	History string               `json:"history,omitempty"`
	List    *memory.Page         `json:"list,omitempty"`
	Summary *memory.SummaryInput `json:"summary,omitempty"`
	Stats   bool                 `json:"stats,omitempty"`
	Index   bool                 `json:"index,omitempty"` // how it compares with the ledger
	Held    bool                 `json:"held,omitempty"`
	Changes int                  `json:"changes,omitempty"` // how many of the last ones
	Census  *memory.CensusInput  `json:"census,omitempty"`
	Plan    *memory.PlanQuery    `json:"plan,omitempty"`
	// Questions asks for the pinned questions of a project, "*" for those of all.
	Questions string `json:"questions,omitempty"`
}

// RelatedInput asks for what is linked to a memory.
type RelatedInput struct {
	ID    string `json:"id"`
	Depth int    `json:"depth"`
	Limit int    `json:"limit"`
}

// ReadOutput answers a [ReadInput] in the field of the same name.
type ReadOutput struct {
	Get     []memory.Details    `json:"get,omitempty"`
	Resolve []memory.Candidates `json:"resolve,omitempty"`
	Related []memory.Related    `json:"related,omitempty"`
	History *memory.History     `json:"history,omitempty"`
	List    []memory.Memory     `json:"list,omitempty"`
	Summary *memory.Summary     `json:"summary,omitempty"`
	Stats   *memory.Stats       `json:"stats,omitempty"`
	Index   *memory.IndexState  `json:"index,omitempty"`

	Held    []memory.HeldPrune `json:"held,omitempty"`
	Changes []memory.Change    `json:"changes,omitempty"`
	Census  *memory.Census     `json:"census,omitempty"`
	Plan    *memory.PlanPage   `json:"plan,omitempty"`

	Questions []memory.PinnedQuestion `json:"questions,omitempty"`
}

// ReadLedger answers one question.
func (a *Activities) ReadLedger(ctx context.Context, in ReadInput) (ReadOutput, error) {
	var out ReadOutput
	var err error
	switch {
	case len(in.Get) > 0:
		out.Get, err = a.get(ctx, in.Get)
	case len(in.Resolve) > 0:
		out.Resolve, err = a.Ledger.Resolve(ctx, in.Resolve)
	case in.Related != nil:
		out.Related, err = a.Ledger.Related(ctx, in.Related.ID, in.Related.Depth, in.Related.Limit)
	case in.History != "":
		var h memory.History
		h, err = a.Ledger.History(ctx, in.History)
		out.History = &h
	case in.List != nil:
		out.List, err = a.list(ctx, *in.List)
	case in.Summary != nil:
		out.Summary, err = a.summarize(ctx, *in.Summary)
	case in.Stats:
		var s memory.Stats
		s, err = a.Ledger.Stats(ctx)
		out.Stats = &s
	case in.Index:
		var s memory.IndexState
		s, err = a.compareIndex(ctx)
		out.Index = &s
	case in.Census != nil:
		var c memory.Census
		c, err = a.Ledger.Census(ctx, *in.Census)
		out.Census = &c
	case in.Questions != "":
		out.Questions, err = a.Ledger.Questions(ctx, strings.TrimPrefix(in.Questions, "*"))
	case in.Plan != nil:
		var p memory.PlanPage
		p, err = a.readPlan(ctx, *in.Plan)
		out.Plan = &p
	case in.Held:
		out.Held, err = a.Ledger.Held(ctx)
	case in.Changes > 0:
		out.Changes, err = a.Ledger.Changes(ctx, in.Changes)
	default:
		err = memory.Errorf(memory.Invalid, "", "nothing was asked of the ledger")
	}
	return out, err
}

// get returns memories by their ids; a merged memory is answered with its
// survivor, whose StandsFor names the id that was asked for.
func (a *Activities) get(ctx context.Context, ids []string) ([]memory.Details, error) {
	survivors, err := a.Ledger.Survivors(ctx, ids)
	if err != nil {
		return nil, err
	}
	ends, standsFor := make([]string, len(ids)), map[string][]string{}
	for i, id := range ids {
		ends[i] = id
		if end, merged := survivors[id]; merged {
			ends[i] = end
			if !slices.Contains(standsFor[end], id) {
				standsFor[end] = append(standsFor[end], id)
			}
		}
	}
	found, err := a.Ledger.Get(ctx, ends)
	for i := range found {
		found[i].StandsFor = standsFor[found[i].ID]
		for _, k := range found[i].Links {
			if k.Type == memory.LinkContradicts && k.TargetID == found[i].ID {
				found[i].SupersededBy = append(found[i].SupersededBy, k.SourceID)
			}
		}
	}
	return found, err
}

func (a *Activities) list(ctx context.Context, page memory.Page) ([]memory.Memory, error) {
	records, err := a.Ledger.Records(ctx, page)
	if err != nil {
		return nil, err
	}
	out := make([]memory.Memory, len(records))
	for i, r := range records {
		out[i] = r.Memory
	}
	return out, nil
}

// summaryMost bounds the memories of one summary.
const summaryMost = 1000

func (a *Activities) summarize(ctx context.Context, in memory.SummaryInput) (*memory.Summary, error) {
	page := memory.Page{Collection: in.Collection, Project: in.Project, Limit: summaryMost}
	records, err := a.Ledger.Records(ctx, page)
	if err != nil {
		return nil, err
	}
	summary := memory.Summarize(records, in.Sentences)
	if a.Chat == nil || summary.Text == "" {
		return &summary, nil
	}
	// The extract is what the model sees: it fits any context, and leaves out repetition only.
	text, err := a.Chat.Chat(ctx, "Summarise these notes in plain prose. Add nothing to them.\n\n"+summary.Text)
	if err != nil {
		summary.Method = withoutModel(a.Chat.ChatModel(), err)
		return &summary, nil
	}
	summary.Text, summary.Method = text, "model "+a.Chat.ChatModel()
	return &summary, nil
}

// withoutModel names the method of a summary that a model should have written.
func withoutModel(model string, err error) string {
	const most = 300
	reason := err.Error()
	if hint := memory.HintOf(err); hint != "" {
		reason += "; " + hint
	}
	reason = memory.Clip(reason, most)
	return fmt.Sprintf("extractive (the chat model %s failed: %s)", model, reason)
}

// LinkInput is a link to make.
type LinkInput struct {
	Link memory.Link `json:"link"`
	User string      `json:"user,omitempty"`
}

// LinkMemories joins two memories.
func (a *Activities) LinkMemories(ctx context.Context, in LinkInput) (memory.Link, error) {
	return a.Ledger.Link(ctx, op(ctx, in.User, memory.ActionLink, "link"), in.Link)
}
