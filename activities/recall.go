package activities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-memory/mneme/memory"
)

// maxAnswerBytes bounds the texts of one answer: it is kept in a workflow's
// history, whose payloads Temporal limits to 2 MB.
const maxAnswerBytes = 512 << 10

// Recall finds, ranks and returns what answers a query. When the embedding
// model is down, or is another one than the ledger's, it answers by keywords
// alone and says so; and also when the index does not know all memories yet.
func (a *Activities) Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error) {
	ctx = a.pin(ctx)
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
	var links []memory.Link
	if q.Pinned {
		if result.Hits, links, err = a.pinned(ctx, q); err != nil {
			return memory.RecallResult{}, err
		}
	}
	ask := a.oneByOne
	if q.Work {
		ask = a.together
	}
	found, err := ask(ctx, q, vectors, result.Hits)
	if err != nil {
		return memory.RecallResult{}, err
	}
	result.Hits, result.BelowBar = append(result.Hits, found.Hits...), found.BelowBar
	result.JustBelow = fit(found.JustBelow, maxAnswerBytes/4)
	for part, took := range found.TookMillis {
		result.TookMillis[part] += took
	}
	if q.AsOf != nil { // links are those of today, and no index holds the past, so none can be behind
		result.Hits, result.AsOf = fit(result.Hits, maxAnswerBytes), q.AsOf
		return result, nil
	}
	result.Hits = fit(a.withLinks(ctx, q, result.Hits, append(links, found.links...)), maxAnswerBytes)
	missing := a.behind(ctx)
	if missing == "" && len(result.Hits)+result.BelowBar == 0 {
		missing = a.emptyHanded(ctx)
	}
	if missing == "" {
		missing = found.Degraded
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

// found is the answer to one or several questions, with the links of all candidates.
type found struct {
	memory.RecallResult
	links []memory.Link
}

// oneByOne asks the questions in their order until q.Limit memories are found, with those
// that are known already.
func (a *Activities) oneByOne(ctx context.Context, q memory.Query, vectors []memory.Vector, known []memory.Hit) (found, error) {
	out := found{RecallResult: memory.RecallResult{TookMillis: map[string]float64{}}}
	for i, text := range q.Questions() {
		have := slices.Concat(known, out.Hits)
		if len(have) == q.Limit && !q.Each {
			break
		}
		asking := q.Asking(text, have)
		candidates, remark, err := a.find(ctx, asking, vectors[i], out.TookMillis)
		if err != nil {
			return found{}, err
		}
		start := a.Now()
		answer, links := ranked(candidates, func(these []memory.Candidate) memory.RecallResult {
			return memory.Rank(asking, a.calibration(ctx), these, start)
		})
		out.links = append(out.links, links...)
		out.TookMillis["rank"] += millis(a.Now().Sub(start))
		if q.Each && len(vectors) > 1 {
			for j := range answer.Hits {
				answer.Hits[j].Question = i + 1
			}
		}
		out.Hits, out.JustBelow = append(out.Hits, answer.Hits...), append(out.JustBelow, answer.JustBelow...)
		if i == 0 {
			out.BelowBar, out.Degraded = answer.BelowBar, remark
		}
	}
	return out, nil
}

// ranked ranks candidates while the ledger is asked about them, and once more without those that
// it says are gone, which are few.
func ranked[T any](c candidates, rank func([]memory.Candidate) T) (T, []memory.Link) {
	answer := rank(c.list)
	says := c.said()
	if len(says.gone) > 0 {
		answer = rank(says.there(c.list))
	}
	return answer, says.links
}

// together searches for each description of the work at hand, side by side, and answers
// with what fits all of them best.
func (a *Activities) together(ctx context.Context, q memory.Query, vectors []memory.Vector, known []memory.Hit) (found, error) {
	texts := q.Questions()
	fits, remarks, took := make([][]memory.Fit, len(texts)), make([]string, len(texts)), make([]map[string]float64, len(texts))
	links := make([][]memory.Link, len(texts))
	start := a.Now()
	group, ctx := errgroup.WithContext(ctx)
	for i, text := range texts {
		group.Go(func() error {
			took[i] = make(map[string]float64)
			asking := q.Asking(text, nil)
			candidates, remark, err := a.find(ctx, asking, vectors[i], took[i])
			if err != nil {
				return err
			}
			remarks[i] = remark
			fits[i], links[i] = ranked(candidates, func(these []memory.Candidate) []memory.Fit {
				return memory.Fits(asking, a.calibration(ctx), these, a.Now())
			})
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return found{}, err
	}
	out := found{RecallResult: memory.Together(q, fits, known), links: slices.Concat(links...)}
	out.Degraded = slices.Max(remarks)
	out.TookMillis = map[string]float64{"search": millis(a.Now().Sub(start))}
	return out, nil
}

func (a *Activities) calibration(ctx context.Context) memory.Calibration {
	return memory.CalibrationFor(a.model(ctx))
}

// candidates are what was found for a question.
type candidates struct {
	list []memory.Candidate
	said func() said // waits for what the ledger says of them; to be called once
}

// find searches for one question; v is nil when keywords must do. It returns a remark when
// the index has lost something, and adds the time that it took.
func (a *Activities) find(ctx context.Context, q memory.Query, v memory.Vector, took map[string]float64) (candidates, string, error) {
	start := a.Now()
	search := memory.Search{
		Text: q.Text, Vector: v, Projects: q.Projects(), Collections: q.Collections, Types: q.Types, Tags: q.Tags,
		Since: q.Since, Before: q.Before, Session: q.FromSession, Exclude: q.Exclude, Now: start, Limit: q.Limit,
	}
	if len(q.Files) > 0 {
		// The index knows no files: it is asked for their names too, and for all it can give.
		search.Text, search.Limit = q.Text+" "+memory.FileNames(q.Files), memory.MaxLimit
	}
	if q.AsOf != nil {
		return a.findPast(ctx, q, search, took)
	}
	list, err := a.index(ctx).Search(ctx, search)
	gone := errors.Is(err, memory.ErrNoCollection)
	if err != nil && !gone {
		return candidates{}, "", err
	}
	if len(q.Files) > 0 {
		list = slices.DeleteFunc(list, func(c memory.Candidate) bool { return !c.Mentions(q.Files) })
	}
	found := candidates{list, a.consult(ctx, list)}
	took["search"] += millis(a.Now().Sub(start))
	if gone {
		a.watch.alarm()
		return found, "the index has lost memories, which are written to it again", nil
	}
	return found, "", nil
}

// findPast is find among what was remembered at the query's time.
func (a *Activities) findPast(ctx context.Context, q memory.Query, search memory.Search, took map[string]float64) (candidates, string, error) {
	list, err := a.Ledger.SearchPast(ctx, *q.AsOf, a.model(ctx), search)
	if err != nil {
		return candidates{}, "", err
	}
	if len(q.Files) > 0 {
		list = slices.DeleteFunc(list, func(c memory.Candidate) bool { return !c.Mentions(q.Files) })
	}
	took["search"] += millis(a.Now().Sub(search.Now))
	return candidates{list, func() said { return said{} }}, "", nil
}

// pinned returns what its owner wants to be shown in any case, and a few of the weightiest, with
// their links.
func (a *Activities) pinned(ctx context.Context, q memory.Query) ([]memory.Hit, []memory.Link, error) {
	found, err := a.index(ctx).Pinned(ctx, memory.Search{
		Projects: q.Projects(), Collections: q.Collections, Types: q.Types, Tags: q.Tags,
		Since: q.Since, Before: q.Before, Session: q.FromSession, Exclude: q.Exclude, Now: a.Now(), Limit: q.Limit,
	})
	if err != nil && !errors.Is(err, memory.ErrNoCollection) {
		return nil, nil, err
	}
	list := make([]memory.Candidate, len(found))
	for i, m := range found {
		list[i].Memory = m
	}
	says := a.consult(ctx, list)()
	hits, weighty := []memory.Hit{}, 0
	for _, c := range says.there(list) {
		if !c.Pinned {
			if weighty++; weighty > memory.WeightyAtMost {
				break
			}
		}
		hits = append(hits, memory.PinnedHit(c.Memory))
	}
	return hits, says.links, nil
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
				hits[i].Text, hits[i].Truncated = memory.Clip(h.Text, most), true
			}
			total += len(hits[i].Text)
		}
	}
	return hits
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
