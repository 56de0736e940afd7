package workflows

import (
	"context"
	"fmt"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// planPage is how many memories are asked for at once.
const planPage = 500

// ImportPlan says what an import of items would do, and changes nothing.
func (c *Client) ImportPlan(ctx context.Context, items []memory.StoreInput, scope memory.ImportScope) (memory.ImportPlan, error) {
	admitted := make([]memory.StoreInput, len(items))
	for i, item := range items {
		var err error
		if admitted[i], err = memory.Admit(c.redactor, item); err != nil {
			return memory.ImportPlan{}, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	there, err := c.fromSource(ctx, admitted, scope)
	if err != nil {
		return memory.ImportPlan{}, err
	}
	texts, err := c.remembered(ctx, admitted)
	if err != nil {
		return memory.ImportPlan{}, err
	}
	return memory.PlanImport(admitted, scope, there, texts), nil
}

// fromSource returns the live memories of the items' projects that came from a scope.
func (c *Client) fromSource(ctx context.Context, items []memory.StoreInput, scope memory.ImportScope) ([]memory.Memory, error) {
	seen := map[string]bool{}
	var projects []string
	for _, item := range items {
		if !seen[item.Project] {
			seen[item.Project], projects = true, append(projects, item.Project)
		}
	}
	known := map[string]bool{} // prefixes may overlap
	var out []memory.Memory
	for _, prefix := range append(append([]string{}, scope.Prefixes...), scope.Keep...) {
		prefix, _ = c.redactor.Redact(prefix)
		for after := ""; ; {
			page, err := c.List(ctx, memory.Page{Projects: projects, FromRef: prefix, After: after, Limit: planPage})
			if err != nil {
				return nil, err
			}
			if len(page) == 0 {
				break
			}
			for _, m := range page {
				if !known[m.ID] {
					known[m.ID], out = true, append(out, m)
				}
			}
			after = page[len(page)-1].ID
		}
	}
	return out, nil
}

// remembered returns the ids of those items whose text is a live memory.
func (c *Client) remembered(ctx context.Context, items []memory.StoreInput) (map[string]bool, error) {
	out := map[string]bool{}
	for part := range slices.Chunk(items, memory.MaxLimit) {
		ids := make([]string, len(part))
		for i, item := range part {
			ids[i] = item.ID()
		}
		found, err := c.Get(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if d.State == memory.Live && memory.NewID(d.Project, d.Collection, d.Text) == d.ID {
				out[d.ID] = true
			}
			for _, id := range d.StandsFor {
				out[id] = true
			}
		}
	}
	return out, nil
}
