package activities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// maxAnswerBytes bounds the texts of one answer: it is kept in a workflow's
// history, whose payloads Temporal limits to 2 MB.
const maxAnswerBytes = 512 << 10

// Recall finds, ranks and returns what answers a query. When the embedding
// model is down, or is another one than the ledger's, it answers by keywords
// alone and says so; and also when the index does not know all memories yet.
func (a *Activities) Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error) {
	q, err := memory.Admit(a.Redactor, q)
	if err != nil {
		return memory.RecallResult{}, err
	}
	start := a.Now()
	questions := q.Questions()
	vectors, degraded, err := a.embedQueries(ctx, questions)
	if err != nil {
		return memory.RecallResult{}, err
	}
	result := memory.RecallResult{
		Hits: []memory.Hit{}, Degraded: degraded,
		TookMillis: map[string]float64{"embed": millis(a.Now().Sub(start))},
	}
	if q.Pinned {
		if result.Hits, err = a.pinned(ctx, q); err != nil {
			return memory.RecallResult{}, err
		}
	}
	gone := ""
	for i, text := range questions {
		if len(result.Hits) == q.Limit {
			break
		}
		answer, err := a.find(ctx, q.Asking(text, result.Hits), vectors[i])
		if err != nil {
			return memory.RecallResult{}, err
		}
		result.Hits = append(result.Hits, answer.Hits...)
		for part, took := range answer.TookMillis {
			result.TookMillis[part] += took
		}
		if i == 0 {
			result.BelowBar, gone = answer.BelowBar, answer.Degraded
		}
	}
	result.Hits = fit(result.Hits, maxAnswerBytes)
	missing := a.behind(ctx)
	if missing == "" && len(result.Hits)+result.BelowBar == 0 {
		missing = a.emptyHanded(ctx)
	}
	if missing == "" {
		missing = gone
	}
	result.Degraded = joined(result.Degraded, missing)
	return result, nil
}

// joined returns two remarks as one.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// find searches and ranks for one question; v is nil when keywords must do.
func (a *Activities) find(ctx context.Context, q memory.Query, v memory.Vector) (memory.RecallResult, error) {
	start := a.Now()
	candidates, err := a.Index.Search(ctx, memory.Search{
		Text: q.Text, Vector: v, Projects: q.Projects(), Collections: q.Collections, Types: q.Types,
		Tags: q.Tags, Since: q.Since, Before: q.Before, Exclude: q.Exclude, Now: start, Limit: q.Limit,
	})
	gone := errors.Is(err, memory.ErrNoCollection)
	if err != nil && !gone {
		return memory.RecallResult{}, err
	}
	candidates = a.there(ctx, candidates)
	searched := a.Now()
	result := memory.Rank(q, memory.CalibrationFor(a.Embedder.Model()), candidates, searched)
	result.TookMillis = map[string]float64{
		"search": millis(searched.Sub(start)),
		"rank":   millis(a.Now().Sub(searched)),
	}
	if gone {
		a.watch.alarm()
		result.Degraded = "the index has lost memories, which are written to it again"
	}
	return result, nil
}

// pinned returns what its owner wants to be shown in any case.
func (a *Activities) pinned(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	found, err := a.Index.Pinned(ctx, memory.Search{
		Projects: q.Projects(), Collections: q.Collections, Types: q.Types, Tags: q.Tags,
		Since: q.Since, Before: q.Before, Exclude: q.Exclude, Now: a.Now(), Limit: q.Limit,
	})
	if err != nil && !errors.Is(err, memory.ErrNoCollection) {
		return nil, err
	}
	candidates := make([]memory.Candidate, len(found))
	for i, m := range found {
		candidates[i].Memory = m
	}
	hits := []memory.Hit{}
	for _, c := range a.there(ctx, candidates) {
		hits = append(hits, memory.PinnedHit(c.Memory))
	}
	return hits, nil
}

// embedQueries returns a vector for each text, or no vectors (each is nil)
// and the reason when the model is of no use.
func (a *Activities) embedQueries(ctx context.Context, texts []string) ([]memory.Vector, string, error) {
	// A part of the deadline is kept for the search by keywords.
	embedCtx, cancel := context.WithTimeout(ctx, embedQueryTimeout)
	defer cancel()
	vectors, err := a.embed(embedCtx, memory.ForQuery, texts)
	none := make([]memory.Vector, len(texts))
	switch {
	case err == nil:
		if reason := a.otherModel(ctx, vectors[0]); reason != "" {
			return none, reason, nil
		}
		return vectors, "", nil
	case ctx.Err() != nil:
		return nil, "", err
	case memory.CodeOf(err) == memory.Refused: // such as an Ollama that does not have the model
		return none, fmt.Sprintf("%v; found by keywords alone; %s", err, memory.HintOf(err)), nil
	case memory.Retryable(err):
		return none, "the embedding model does not answer; found by keywords alone", nil
	default:
		return nil, "", err
	}
}

const embedQueryTimeout = 3 * time.Second

// fit shortens the longest texts until all fit into budget bytes.
func fit(hits []memory.Hit, budget int) []memory.Hit {
	total := 0
	for _, h := range hits {
		total += len(h.Text)
	}
	for most := memory.MaxTextBytes / 2; total > budget && most > 256; most /= 2 {
		total = 0
		for i, h := range hits {
			if len(h.Text) > most {
				hits[i].Text, hits[i].Truncated = cut(h.Text, most), true
			}
			total += len(hits[i].Text)
		}
	}
	return hits
}

// cut returns at most limit bytes of text, whole runes and, if near, whole words.
func cut(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	text = text[:limit]
	if i := strings.LastIndexAny(text, " \n\t"); i > limit*3/4 {
		text = text[:i]
	}
	return text + " …"
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// CountInput is an answered recall to count.
type CountInput struct {
	Query  memory.Query `json:"query"`
	Hits   []memory.Hit `json:"hits"` // without texts
	Below  int          `json:"below"`
	Took   map[string]float64
	Tokens int       `json:"tokens"` // estimated tokens of the answer's texts
	At     time.Time `json:"at"`
}

// CountRecall notes an answered recall: its hits gain confidence and a fresh
// last_accessed, and the audit gets its row.
func (a *Activities) CountRecall(ctx context.Context, in CountInput) error {
	var err error
	if in.Query, err = memory.Admit(a.Redactor, in.Query); err != nil {
		return err
	}
	details := map[string]any{"took_ms": maps.Clone(in.Took), "tokens": in.Tokens, "source": in.Query.Source}
	err = a.Ledger.Recalled(ctx, op(ctx, in.Query.User, memory.ActionRecall, "count"), memory.Recalled{
		Query: in.Query, Hits: in.Hits, Below: in.Below, Details: details, At: in.At,
	})
	if err != nil {
		return err
	}
	ids := make([]string, len(in.Hits))
	for i, h := range in.Hits {
		ids[i] = h.ID
	}
	return a.SyncIndex(ctx, SyncInput{IDs: ids})
}
