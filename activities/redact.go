package activities

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// redactPage is how many memories one step of a redaction reads.
const redactPage = 500

// BeginRedaction makes the receipt of a redaction and returns its path.
func (a *Activities) BeginRedaction(ctx context.Context, in memory.RedactInput) (string, error) {
	p, err := a.purges()
	if err != nil {
		return "", err
	}
	if err := in.Check(); err != nil {
		return "", err
	}
	return p.BeginRedaction(activity.GetInfo(ctx).WorkflowExecution.ID, in)
}

// RedactPageInput asks to redact one page of the memories.
type RedactPageInput struct {
	Redact  memory.RedactInput `json:"redact"`
	Receipt string             `json:"receipt"`
	Page    int                `json:"page"`
	After   string             `json:"after,omitempty"` // the last id of the page before
}

// RedactedPage counts what one page changed, and says where the next page begins; "" after the last.
type RedactedPage struct {
	memory.RedactedPage

	Next string `json:"next,omitempty"`
}

// RedactMemories rewrites the memories of one page, of whatever state, that the rules of today would
// redact. The receipt learns what is taken out before it is taken.
func (a *Activities) RedactMemories(ctx context.Context, in RedactPageInput) (RedactedPage, error) {
	defer alive(ctx)()
	var out RedactedPage
	p, err := a.purges()
	if err != nil {
		return out, err
	}
	list, next, err := a.redactable(ctx, p, in.Redact, in.After)
	if err != nil {
		return out, err
	}
	if len(list) > 0 {
		if err := p.NoteRedacted(in.Receipt, in.Page, list); err != nil {
			return out, err
		}
		if err := a.embedRedacted(ctx, list); err != nil {
			return out, err
		}
	}
	step := op(ctx, in.Redact.User, memory.ActionRedact, fmt.Sprintf("redact/%d", in.Page))
	out.RedactedPage, err = a.Ledger.Redact(ctx, step, list)
	out.Next = next
	return out, err
}

// redactable returns those of a page of memories that the rules of today would redact, and the id
// after which the next page begins.
func (a *Activities) redactable(ctx context.Context, p Purges, in memory.RedactInput, after string) ([]memory.Redacted, string, error) {
	rules, err := p.RedactionOf(in)
	if err != nil {
		return nil, "", err
	}
	page, err := a.Ledger.EveryMemory(ctx, after, redactPage)
	if err != nil || len(page) == 0 {
		return nil, "", err
	}
	what := memory.Cleaning{Clean: rules.Text, Name: rules.Name}
	var out []memory.Redacted
	for _, m := range page {
		activity.RecordHeartbeat(ctx)
		clean, changed := what.Memory(m)
		if changed {
			out = append(out, memory.Redacted{Before: m, After: clean, Kinds: kindsOf(rules, m)})
		}
	}
	next := ""
	if len(page) == redactPage {
		next = page[len(page)-1].ID
	}
	return out, next, nil
}

// alive reports heartbeats until the returned function is called: rules may take long for one text.
func alive(ctx context.Context) (end func()) {
	done := make(chan struct{})
	go beat(ctx, done, func() { activity.RecordHeartbeat(ctx) })
	return func() { close(done) }
}

// kindsOf names what is taken out of a memory, each kind once.
func kindsOf(rules memory.Redaction, m memory.Memory) []string {
	var out []string
	seen := map[string]bool{}
	for _, text := range append([]string{m.Text, m.Project, m.Session, m.SourceRef}, m.Tags...) {
		for _, kind := range rules.Kinds(m.Project, text) {
			if !seen[kind] {
				seen[kind], out = true, append(out, kind)
			}
		}
	}
	return out
}

// embedRedacted gives each memory whose text was changed the vector of its new text.
func (a *Activities) embedRedacted(ctx context.Context, list []memory.Redacted) error {
	var texts []string
	var places []int
	for i, r := range list {
		if r.After.Text != r.Before.Text {
			texts, places = append(texts, r.After.Text), append(places, i)
		}
	}
	for from := 0; from < len(texts); from += embedBatch {
		activity.RecordHeartbeat(ctx)
		to := min(from+embedBatch, len(texts))
		vectors, err := a.embed(ctx, memory.ForDocument, texts[from:to])
		if err != nil {
			return err
		}
		for i, v := range vectors {
			list[places[from+i]].Vector, list[places[from+i]].Model = v, a.Embedder.Model()
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return a.prepare(ctx, len(list[places[0]].Vector))
}

// SurveySecrets says what a redaction would change, and changes nothing.
func (a *Activities) SurveySecrets(ctx context.Context, in memory.RedactInput) (memory.RedactReport, error) {
	defer alive(ctx)()
	out := memory.RedactReport{DryRun: true, Kinds: map[string]int{}, Purge: &memory.PurgeReport{}}
	p, err := a.purges()
	if err != nil {
		return out, err
	}
	if err := in.Check(); err != nil {
		return out, err
	}
	for after := ""; ; {
		list, next, err := a.redactable(ctx, p, in, after)
		if err != nil {
			return out, err
		}
		for _, r := range list {
			out.Memories++
			for _, kind := range r.Kinds {
				out.Kinds[kind]++
			}
			if len(out.Examples) < memory.MaxRedactExamples {
				out.Examples = append(out.Examples, memory.RedactExample{
					ID: r.After.ID, Project: r.After.Project, Kinds: r.Kinds, Text: memory.Clip(r.After.Text, memory.MaxQuestionBytes),
				})
			}
		}
		if after = next; after == "" {
			break
		}
	}
	out.Purge.Swept, err = p.Survey(ctx, in, a.sweeps(), func() { activity.RecordHeartbeat(ctx) })
	return out, err
}

// sweeps are those of the ledger.
func (a *Activities) sweeps() memory.Sweeps {
	return memory.Sweeps{
		Messages: a.Ledger.SweepMessages, Questions: a.Ledger.SweepQuestions, Audit: a.Ledger.SweepAudit,
		Versions: a.Ledger.SweepVersions, Plans: a.Ledger.SweepPlans,
	}
}

// reindexArchive writes the points of archived messages whose texts were changed.
func (a *Activities) reindexArchive(ctx context.Context) error {
	stats, err := a.Ledger.ArchiveStats(ctx)
	if err != nil || stats.Unindexed == 0 {
		return err
	}
	for {
		activity.RecordHeartbeat(ctx)
		if n, err := a.indexArchive(ctx, nil); err != nil || n == 0 {
			return err
		}
	}
}
