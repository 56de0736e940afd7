package hook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/memory"
)

// recall asks the texts in their order, as one query, until q.Limit memories
// are found: a session start is a single recall in the audit, and counts as a
// single use of each memory.
func (r *run) recall(ctx context.Context, texts []string, q memory.Query) ([]memory.Hit, error) {
	texts = r.questions(texts)
	if len(texts) == 0 {
		return nil, nil
	}
	client, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	q.Text, q.Then = texts[0], texts[1:]
	if q.MinScore == nil { // nobody asked, so only what is strong is shown
		q.MinScore = new(memory.StrongAbove)
	}
	q.Project, q.Session, q.User, q.Source = r.project, r.in.Session, r.cfg.User, memory.SourceHook
	answer, err := client.Recall(ctx, q)
	r.waited(ctx, err)
	return answer.Hits, err
}

// questions makes of texts what may be asked; some have nothing to ask for.
func (r *run) questions(texts []string) []string {
	var out []string
	for _, text := range texts {
		text, _ := r.redactor.Redact(text) // before it is cut: half of a secret is not known for one
		text = strings.TrimSpace(memory.Clip(memory.PlainText(strings.ToValidUTF8(text, "")), maxQuery))
		if text != "" && len(out) < memory.MaxQuestions {
			out = append(out, text)
		}
	}
	return out
}

// showed notes in the log and for the audit what was put in front of the model.
func (r *run) showed(f framed) error {
	ids := make([]string, len(f.shown))
	for i, h := range f.shown {
		ids[i] = h.ID
		r.log.Injected = append(r.log.Injected, hooklog.Injected{ID: h.ID})
	}
	r.log.Tokens += f.tokens
	return r.record(memory.ActionInject+"/"+unique(), memory.ActionInject, ids, map[string]any{
		"event": r.in.Event, "source": r.in.Source, "tokens": f.tokens, "tool": r.in.ToolName, "took_ms": r.took(),
	})
}

// injections are the session's notes about the memories shown to it.
func (r *run) injections(f framed) []session.Injection {
	out := make([]session.Injection, len(f.shown))
	for i, h := range f.shown {
		out[i] = session.Injection{
			ID: h.ID, Text: h.Text, Terms: terms(h.Text, r.project+" "+r.dir),
			Type: h.Type, Project: h.Project, CreatedAt: h.CreatedAt,
		}
	}
	return out
}

// unique returns an id that no other process makes.
func unique() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails: see crypto/rand
	return hex.EncodeToString(b[:])
}

// savedText is what user and model are told about extraction.
func savedText(n int) string {
	if n == 1 {
		return "Saved 1 new memory"
	}
	return fmt.Sprintf("Saved %d new memories", n)
}

// reviewText tells the user, and nobody else, where to look at what was saved.
func reviewText(n int) string { return savedText(n) + " (mneme review shows them)" }
