package activities

import (
	"context"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// withLinks adds to an answer what the links of its memories say; see
// [memory.WithLinks]. Like the question what is gone, it must not hold an answer
// up: without the ledger the answer is as it was found.
func (a *Activities) withLinks(ctx context.Context, q memory.Query, hits []memory.Hit) []memory.Hit {
	if len(hits) == 0 {
		return hits
	}
	ctx, cancel := context.WithTimeout(ctx, waitGone)
	defer cancel()
	beside, err := a.beside(ctx, q, hits)
	a.silent.note(ctx, a.Now(), err)
	return memory.WithLinks(q, hits, beside)
}

// beside asks the ledger for the links of what was found, and for the memories
// at their other ends that the query may see.
func (a *Activities) beside(ctx context.Context, q memory.Query, hits []memory.Hit) (memory.Beside, error) {
	if a.resting() {
		return memory.Beside{}, nil
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	links, err := a.Ledger.Links(ctx, ids)
	if err != nil || len(links) == 0 {
		return memory.Beside{}, err
	}
	var others []string
	for _, k := range links {
		for _, id := range []string{k.SourceID, k.TargetID} {
			if !slices.Contains(ids, id) && !slices.Contains(others, id) {
				others = append(others, id)
			}
		}
	}
	out := memory.Beside{Links: links, Memories: map[string]memory.Memory{}}
	if len(others) == 0 {
		return out, nil
	}
	found, err := a.Ledger.Get(ctx, others)
	for _, d := range found {
		if q.Sees(d.Memory, a.Now()) {
			out.Memories[d.ID] = d.Memory
		}
	}
	return out, err
}
