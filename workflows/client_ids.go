package workflows

import (
	"context"
	"slices"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Resolve returns the id of the one memory that each reference means: an id,
// or the beginning of one. All calls of the client that take ids take
// references and ask here.
func (c *Client) Resolve(ctx context.Context, refs []string) ([]string, error) {
	return c.resolve(ctx, refs, true)
}

// resolve is Resolve; unless it is strict, what names no memory stays as it is.
func (c *Client) resolve(ctx context.Context, refs []string, strict bool) ([]string, error) {
	var short []string
	for _, ref := range refs {
		if memory.ValidID(ref) || slices.Contains(short, ref) {
			continue
		}
		if err := memory.CheckRef(ref); err != nil {
			return nil, err
		}
		short = append(short, ref)
	}
	if len(short) == 0 {
		return refs, nil
	}
	out, err := c.read(ctx, "ids", activities.ReadInput{Resolve: short})
	if err != nil {
		return nil, err
	}
	return memory.Resolve(refs, out.Resolve, strict)
}

// resolveOne is Resolve for one reference.
func (c *Client) resolveOne(ctx context.Context, ref string) (string, error) {
	ids, err := c.Resolve(ctx, []string{ref})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// resolveLinks is Resolve for the targets of links.
func (c *Client) resolveLinks(ctx context.Context, links []memory.LinkRequest) ([]memory.LinkRequest, error) {
	if len(links) == 0 {
		return links, nil
	}
	refs := make([]string, len(links))
	for i, l := range links {
		refs[i] = l.TargetID
	}
	ids, err := c.Resolve(ctx, refs)
	if err != nil {
		return nil, err
	}
	links = slices.Clone(links)
	for i := range links {
		links[i].TargetID = ids[i]
	}
	return links, nil
}
