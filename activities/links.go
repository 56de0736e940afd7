package activities

import (
	"cmp"
	"context"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// withLinks adds to an answer what the links of its memories say; see
// [memory.WithLinks]. Like the question what is gone, it must not hold an answer
// up: without the ledger the answer is as it was found.
func (a *Activities) withLinks(ctx context.Context, q memory.Query, hits []memory.Hit, links []memory.Link) []memory.Hit {
	if len(hits) == 0 {
		return hits
	}
	return memory.WithLinks(q, hits, a.beside(ctx, q, hits, links))
}

// beside picks the links of what was found, and asks the ledger for the memories at their other
// ends that the query may see.
func (a *Activities) beside(ctx context.Context, q memory.Query, hits []memory.Hit, links []memory.Link) memory.Beside {
	found := make(map[string]bool, len(hits))
	for _, h := range hits {
		found[h.ID] = true
	}
	out := memory.Beside{Memories: map[string]memory.Memory{}}
	known := make(map[string]bool) // links; several questions may have found one end
	var others []string
	for _, k := range links {
		if known[k.ID] || !found[k.SourceID] && !found[k.TargetID] {
			continue
		}
		known[k.ID] = true
		out.Links = append(out.Links, k)
		for _, id := range []string{k.SourceID, k.TargetID} {
			if !found[id] && !slices.Contains(others, id) {
				others = append(others, id)
			}
		}
	}
	slices.SortFunc(out.Links, func(a, b memory.Link) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	if len(others) == 0 || a.resting() {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, waitGone)
	defer cancel()
	ends, err := a.Ledger.Get(ctx, others)
	a.silent.note(ctx, a.Now(), err)
	for _, d := range ends {
		if q.Sees(d.Memory, a.Now()) {
			out.Memories[d.ID] = d.Memory
		}
	}
	return out
}
