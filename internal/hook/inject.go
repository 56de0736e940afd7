package hook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/hook/hooklog"
	"github.com/mneme-memory/mneme/internal/hook/session"
	"github.com/mneme-memory/mneme/memory"
)

// recall asks one query after the other until q.Limit memories are found, and
// returns them in the order they were found. A later query excludes what an
// earlier one found: being recalled raises a memory's confidence, and one
// session start is one use. Some answers are as good as all: an error is
// returned when it left nothing.
func (r *run) recall(ctx context.Context, texts []string, q memory.Query) ([]memory.Hit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	client, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	q.Project, q.Session, q.User, q.Source = r.project, r.in.Session, r.cfg.User, memory.SourceHook
	var hits []memory.Hit
	for most := q.Limit; most > 0 && len(texts) > 0; most = q.Limit - len(hits) {
		text, _ := r.redactor.Redact(texts[0]) // before it is cut: half of a secret is not known for one
		texts = texts[1:]
		one := q
		one.Text, one.Limit = clipText(memory.PlainText(strings.ToValidUTF8(text, "")), maxQuery), most
		one.Exclude = slices.Clone(q.Exclude)
		for _, h := range hits {
			one.Exclude = append(one.Exclude, h.ID)
		}
		answer, err := client.Recall(ctx, one)
		r.waited(ctx, err)
		switch {
		case memory.CodeOf(err) == memory.Invalid: // nothing in it to ask for
			continue
		case err != nil && len(hits) == 0:
			return nil, err
		case err != nil:
			return hits, nil
		}
		hits = append(hits, answer.Hits...)
	}
	return hits, nil
}

// showed notes in the log and for the audit what was put in front of the model.
func (r *run) showed(f framed) error {
	ids := make([]string, len(f.shown))
	for i, h := range f.shown {
		ids[i] = h.ID
		r.log.Injected = append(r.log.Injected, hooklog.Injected{ID: h.ID, Words: hooklog.Words(h.Text)})
	}
	r.log.Tokens += f.tokens
	return r.record(actionInject+"/"+unique(), actionInject, ids, map[string]any{
		"event": r.in.Event, "source": r.in.Source, "tokens": f.tokens, "tool": r.in.ToolName, "took_ms": r.took(),
	})
}

// injections is what a session must remember of what it was shown.
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
