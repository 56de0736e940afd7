// Package review goes through memories with the person they are for: the new
// ones, and those with a poor ratio of use to cost. It lists them, keeps in
// mind what was decided, and carries the decisions out.
package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of a review.
const (
	DefaultDays = 14 // how far back new memories are looked at
	MaxItems    = 200
)

// Client is what a review asks of the workflows' client.
type Client interface {
	List(ctx context.Context, page memory.Page) ([]memory.Memory, error)
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
	Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error)
	Merge(ctx context.Context, ids []string) (memory.MergedGroup, error)
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
}

// Options say what is reviewed.
type Options struct {
	Project string    // "" means every project
	Since   time.Time // memories created at or after
	Source  string    // the door they came through; "" means any
	Limit   int       // most items, 1 to MaxItems
	// Suggested are ids to look at whatever their age, with the reason.
	Suggested []Suggestion
	// Decided reports whether a memory was decided on in an earlier review.
	Decided func(id string) bool
}

// Suggestion names a memory to look at.
type Suggestion struct {
	ID     string
	Reason string // such as "shown 7 times, never used: forget it?"
}

// Item is one memory to decide on.
type Item struct {
	memory.Memory
	Suggestion string `json:"suggestion,omitempty"`
}

// Load returns what there is to review: suggested memories first, then those
// that are nearly pruned, then new ones, newest first. A project sees its own memories and those of
// [memory.Global].
func Load(ctx context.Context, c Client, o Options) ([]Item, error) {
	if o.Limit < 1 || o.Limit > MaxItems {
		return nil, memory.Errorf(memory.Invalid, fmt.Sprintf("give 1 to %d", MaxItems), "a review of %d memories is not possible", o.Limit)
	}
	items, err := suggested(ctx, c, o)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, it := range items {
		seen[it.ID] = true
	}
	again := o
	again.Decided = nil // what was kept is named anew only after it lay unused for long again
	nearly, err := again.unseen(ctx, c, seen, memory.Page{Nearly: true})
	if err != nil {
		return nil, err
	}
	for i, it := range nearly {
		nearly[i].Suggestion = fmt.Sprintf("not used since %s and faded, so it will be pruned: keep it?", it.UnusedSince().Format(time.DateOnly))
	}
	fresh, err := o.unseen(ctx, c, seen, memory.Page{Since: &o.Since, Source: o.Source, Newest: true})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(fresh, func(a, b Item) int { return b.CreatedAt.Compare(a.CreatedAt) })
	items = slices.Concat(items, nearly, fresh)
	return items[:min(len(items), o.Limit)], nil
}

// unseen returns the memories of a page and those after it that the project
// sees, and notes them as seen.
func (o Options) unseen(ctx context.Context, c Client, seen map[string]bool, page memory.Page) ([]Item, error) {
	projects := []string{""}
	if o.Project != "" {
		projects = slices.Compact([]string{o.Project, memory.Global})
	}
	var items []Item
	for _, p := range projects {
		page.Project = p
		found, err := undecided(ctx, c, o, page)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if !seen[m.ID] {
				items, seen[m.ID] = append(items, Item{Memory: m}), true
			}
		}
	}
	return items, nil
}

// suggested returns the suggested memories that are still live and in the
// project's sight.
func suggested(ctx context.Context, c Client, o Options) ([]Item, error) {
	reasons := map[string]string{}
	for _, s := range o.Suggested {
		if !o.decided(s.ID) && len(reasons) < memory.MaxLimit {
			reasons[s.ID] = s.Reason
		}
	}
	if len(reasons) == 0 {
		return nil, nil
	}
	found, err := c.Get(ctx, slices.Sorted(maps.Keys(reasons)))
	if err != nil {
		return nil, err
	}
	byID := map[string]memory.Memory{}
	for _, d := range found {
		byID[d.ID] = d.Memory
	}
	var items []Item
	for _, s := range o.Suggested {
		m, ok := byID[s.ID]
		inSight := o.Project == "" || m.Project == o.Project || m.Project == memory.Global
		if ok && inSight && m.State == memory.Live {
			items = append(items, Item{Memory: m, Suggestion: s.Reason})
		}
	}
	return items, nil
}

func (o Options) decided(id string) bool { return o.Decided != nil && o.Decided(id) }

// undecided pages through memories until there are enough.
func undecided(ctx context.Context, c Client, o Options, page memory.Page) ([]memory.Memory, error) {
	var out []memory.Memory
	page.Limit = 50
	for {
		found, err := c.List(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if !o.decided(m.ID) {
				out = append(out, m)
			}
		}
		if len(found) < page.Limit || len(out) >= o.Limit {
			return out, nil
		}
		page.After = found[len(found)-1].ID
	}
}

// Action is what is to happen to a memory.
type Action string

// The actions of a review.
const (
	Keep   Action = "keep"   // it stays, also where it would have expired
	Pin    Action = "pin"    // it is kept and never pruned
	Edit   Action = "edit"   // its text is replaced
	Merge  Action = "merge"  // it becomes one with others
	Forget Action = "forget" // it goes; the ledger keeps its history
)

// Decision is an action on a memory.
type Decision struct {
	Action Action   `json:"action"`
	ID     string   `json:"id"`
	Text   string   `json:"text,omitempty"` // of Edit
	With   []string `json:"with,omitempty"` // of Merge
}

// Outcome is a decision and how it ended.
type Outcome struct {
	Decision
	ResultID string `json:"result_id,omitempty"` // the memory that is left, if one is
	Error    string `json:"error,omitempty"`
	err      error
}

// Apply carries decisions out, one after the other. One that fails does not
// stop the rest; the error joins all that failed.
func Apply(ctx context.Context, c Client, user string, decisions []Decision) ([]Outcome, error) {
	out := []Outcome{}
	var failed []error
	for _, d := range decisions {
		o := Outcome{Decision: d}
		o.ResultID, o.err = apply(ctx, c, user, d)
		if o.err != nil {
			o.Error = o.err.Error()
			failed = append(failed, fmt.Errorf("%s %s: %w", d.Action, d.ID, o.err))
		}
		out = append(out, o)
		if ctx.Err() != nil {
			break
		}
	}
	return out, errors.Join(failed...)
}

// Done reports whether the decision was carried out.
func (o Outcome) Done() bool { return o.err == nil }

func apply(ctx context.Context, c Client, user string, d Decision) (string, error) {
	edit := memory.UpdateInput{ID: d.ID, Source: memory.SourceCLI, User: user}
	pinned := true
	switch d.Action {
	case Keep:
		edit.Keep = true
	case Pin:
		edit.Keep, edit.Pinned = true, &pinned
	case Edit:
		edit.Text = &d.Text
	case Merge:
		group, err := c.Merge(ctx, append([]string{d.ID}, d.With...))
		return group.SurvivorID, err
	case Forget:
		_, err := c.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{IDs: []string{d.ID}}, User: user})
		return "", err
	default:
		return "", memory.Errorf(memory.Invalid, "use keep, pin, edit, merge or forget", "a review has no action %q", d.Action)
	}
	m, err := c.Update(ctx, edit)
	return m.ID, err
}
