package workflows

import (
	"context"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Get returns memories with their links; missing ones are left out. An id that
// was merged away is answered with its survivor, whose StandsFor names it.
func (c *Client) Get(ctx context.Context, ids []string) ([]memory.Details, error) {
	if len(ids) == 0 || len(ids) > memory.MaxLimit {
		return nil, memory.Errorf(memory.Invalid, "split the call", "give 1 to %d ids, got %d", memory.MaxLimit, len(ids))
	}
	ids, err := c.resolve(ctx, ids, false)
	if err != nil {
		return nil, err
	}
	out, err := c.read(ctx, "get", activities.ReadInput{Get: ids})
	return out.Get, err
}

// Related returns what is linked to a memory, up to depth links away.
func (c *Client) Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error) {
	id, err := c.resolveOne(ctx, id)
	if err != nil {
		return nil, err
	}
	out, err := c.read(ctx, "related", activities.ReadInput{Related: &activities.RelatedInput{ID: id, Depth: depth, Limit: limit}})
	return out.Related, err
}

// History returns everything that happened to a memory.
func (c *Client) History(ctx context.Context, id string) (memory.History, error) {
	id, err := c.resolveOne(ctx, id)
	if err != nil {
		return memory.History{}, err
	}
	out, err := c.read(ctx, "history", activities.ReadInput{History: id})
	if err != nil || out.History == nil {
		return memory.History{}, err
	}
	return *out.History, nil
}

// Summarize says in few sentences what a collection holds.
func (c *Client) Summarize(ctx context.Context, in memory.SummaryInput) (memory.Summary, error) {
	in.Project = memory.RedactName(c.redactor, in.Project)
	in, err := in.Clean()
	if err != nil {
		return memory.Summary{}, err
	}
	out, err := c.read(ctx, "summary", activities.ReadInput{Summary: &in})
	if err != nil || out.Summary == nil {
		return memory.Summary{}, err
	}
	return *out.Summary, nil
}

// maxListPage keeps the texts of one page below Temporal's limit of 2 MB a
// payload, unless most of them are of the greatest length.
const maxListPage = 50

// List returns one page of live memories in the order of their ids, or newest
// first. At most 50 come at a time.
func (c *Client) List(ctx context.Context, page memory.Page) ([]memory.Memory, error) {
	page.Project, page.Session = memory.RedactName(c.redactor, page.Project), memory.RedactName(c.redactor, page.Session)
	page.Projects, page.Tags = memory.RedactNames(c.redactor, page.Projects), memory.RedactTags(c.redactor, page.Tags)
	page, err := page.Clean()
	if err != nil {
		return nil, err
	}
	if page.Limit < 1 || page.Limit > maxListPage {
		page.Limit = maxListPage
	}
	out, err := c.read(ctx, "list", activities.ReadInput{List: &page})
	return out.List, err
}

// Stats counts what the ledger holds.
func (c *Client) Stats(ctx context.Context) (memory.Stats, error) {
	out, err := c.read(ctx, "stats", activities.ReadInput{Stats: true})
	if err != nil || out.Stats == nil {
		return memory.Stats{}, err
	}
	return *out.Stats, nil
}

// Census counts what there is by type, collection, project, tag and month.
func (c *Client) Census(ctx context.Context, in memory.CensusInput) (memory.Census, error) {
	in.Projects = memory.RedactNames(c.redactor, in.Projects)
	out, err := c.read(ctx, "census", activities.ReadInput{Census: &in})
	if err != nil || out.Census == nil {
		return memory.Census{}, err
	}
	return *out.Census, nil
}

// IndexState compares index and ledger, by count and by a sample.
func (c *Client) IndexState(ctx context.Context) (memory.IndexState, error) {
	out, err := c.read(ctx, "index", activities.ReadInput{Index: true})
	if err != nil || out.Index == nil {
		return memory.IndexState{}, err
	}
	return *out.Index, nil
}

// Held returns the projects whose pruning waits for a yes.
func (c *Client) Held(ctx context.Context) ([]memory.HeldPrune, error) {
	out, err := c.read(ctx, "held", activities.ReadInput{Held: true})
	return out.Held, err
}

func (c *Client) read(ctx context.Context, what string, in activities.ReadInput) (activities.ReadOutput, error) {
	var out activities.ReadOutput
	err := c.ask(ctx, c.start(unique("read/"+what), "", "read", ""), updateAnswer, "", &out, ReadMemories, []any{in})
	return out, err
}
