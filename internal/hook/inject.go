package hook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-memory/mneme/internal/hook/hooklog"
	"github.com/mneme-memory/mneme/internal/hook/session"
	"github.com/mneme-memory/mneme/memory"
)

// recall asks several queries at once and returns the hits, most similar
// first. Some answers are as good as all: the error is that of the first when
// none came.
func (r *run) recall(ctx context.Context, texts []string, q memory.Query) ([]memory.Hit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	client, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	q.Project, q.Session, q.User, q.Source = r.project, r.in.Session, r.cfg.User, memory.SourceHook
	results := make([]memory.RecallResult, len(texts))
	errs := make([]error, len(texts))
	var wg sync.WaitGroup
	for i, text := range texts {
		wg.Go(func() {
			one := q
			text, _ = r.redactor.Redact(text) // before it is cut: half of a secret is not known for one
			one.Text = clipText(memory.PlainText(strings.ToValidUTF8(text, "")), maxQuery)
			results[i], errs[i] = client.Recall(ctx, one)
		})
	}
	wg.Wait()
	hits := merge(results, q.Limit)
	if len(hits) == 0 {
		return nil, errors.Join(errs...)
	}
	return hits, nil
}

// merge returns the hits of several answers once each, most similar first:
// similarity can be compared between answers, the score cannot.
func merge(results []memory.RecallResult, limit int) []memory.Hit {
	best := map[string]memory.Hit{}
	for _, res := range results {
		for _, h := range res.Hits {
			if known, ok := best[h.ID]; !ok || h.Similarity > known.Similarity {
				best[h.ID] = h
			}
		}
	}
	hits := make([]memory.Hit, 0, len(best))
	for _, h := range best {
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), limit)]
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
