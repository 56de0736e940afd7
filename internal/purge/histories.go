package purge

import (
	"context"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// deletion lists the histories that one step deletes from Temporal.
type deletion struct {
	Runs    []Run    `json:"runs,omitempty"` // that have ended, until all are deleted
	Open    []string `json:"open,omitempty"` // workflows that hold some of the texts and still run
	Deleted int      `json:"deleted"`
}

// Forget deletes the histories of ended runs that hold some of the texts. It
// returns how many it deleted, and the workflows that hold some and still run. Which they are is in the
// receipt before the first is deleted, so a step that goes on for a killed worker returns the same.
func (k *Keeper) Forget(ctx context.Context, path, key string, progress func()) (deleted int, open []string, err error) {
	r, err := load(k.Home, path)
	if err != nil {
		return 0, nil, err
	}
	now, planned := r.content.Deletions[key]
	if !planned {
		if now, err = k.planDeletion(ctx, &r, progress); err != nil {
			return 0, nil, err
		}
		if r.content.Deletions == nil {
			r.content.Deletions = map[string]deletion{}
		}
		r.content.Deletions[key] = now
		if err := r.save(k.Home); err != nil {
			return 0, nil, err
		}
	}
	if slices.Contains(r.content.Steps, key) {
		return now.Deleted, now.Open, nil
	}
	for _, run := range now.Runs {
		progress()
		err := k.Histories.Delete(ctx, run)
		if memory.CodeOf(err) == memory.Refused {
			continue // the search finds it, and says so
		}
		if err != nil {
			return now.Deleted, now.Open, err
		}
		now.Deleted++
	}
	now.Runs = nil
	r.content.Deletions[key] = now
	return now.Deleted, now.Open, k.counted(&r, key, func() (memory.Swept, error) {
		return memory.Swept{Histories: now.Deleted}, nil
	})
}

func (k *Keeper) planDeletion(ctx context.Context, r *receipt, progress func()) (deletion, error) {
	rules, err := k.rules(r)
	if err != nil {
		return deletion{}, err
	}
	var out deletion
	add := func(run Run) {
		if run.Open {
			out.Open = append(out.Open, run.WorkflowID)
		} else {
			out.Runs = append(out.Runs, run)
		}
	}
	_, hits, err := k.searchHistories(ctx, r, progress)
	known := map[Run]bool{}
	for _, h := range hits {
		known[h.run] = true
		add(h.run)
	}
	if err != nil || rules.value == nil {
		return out, err
	}
	err = k.Histories.Runs(ctx, func(run Run) error {
		progress()
		dirty := false
		err := k.Histories.Texts(ctx, run, func(text string) { dirty = rules.value(text) || dirty })
		if dirty && !known[run] {
			add(run)
		}
		return err
	})
	return out, err
}

// hit is a run whose history holds some of the texts.
type hit struct {
	run     Run
	matches []match
}

func (k *Keeper) searchHistories(ctx context.Context, r *receipt, progress func()) (memory.Searched, []hit, error) {
	f := newFinder(r.content.Secret, r.content.Patterns, false)
	out := memory.Searched{Place: "Temporal", What: "histories"}
	var hits []hit
	err := k.Histories.Runs(ctx, func(run Run) error {
		progress()
		s := f.scan()
		err := k.Histories.Read(ctx, run, func(event []byte) {
			out.Bytes += int64(len(event))
			_, _ = s.Write(event)     // never fails
			_, _ = s.Write([]byte{0}) // no text goes on in the next event
		})
		if err != nil {
			return err
		}
		out.Count++
		if len(s.found) > 0 {
			hits = append(hits, hit{run, s.matches()})
		}
		return nil
	})
	return out, hits, err
}

func (k *Keeper) searchTemporal(ctx context.Context, r *receipt, report *memory.PurgeReport, progress func()) error {
	searched, hits, err := k.searchHistories(ctx, r, progress)
	if err != nil {
		return err
	}
	report.Places = append(report.Places, searched)
	for _, h := range hits {
		for _, m := range h.matches {
			t := memory.Trace{
				Place: "Temporal, history of " + h.run.WorkflowID, ID: r.content.Patterns[m.pattern].ID, Whole: m.whole,
				Hint: again(report.Receipt) + "; where Temporal lets nobody delete, it goes when its retention is over",
			}
			if h.run.Open {
				t.Hint = "it still runs; when it has ended: " + again(report.Receipt)
			}
			report.AddFound(t)
		}
	}
	return nil
}
