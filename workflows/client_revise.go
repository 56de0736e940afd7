package workflows

import (
	"cmp"
	"context"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// Duplicate says whether a text is stored already, by the same rule as Store,
// and gives the memory that holds it a step of confidence. Nothing is stored.
// It is not tried again later: whoever gets no answer stores the text, and the
// store confirms the same memory.
func (c *Client) Duplicate(ctx context.Context, in memory.StoreInput) (memory.DuplicateResult, error) {
	in, err := memory.Admit(c.redactor, in)
	if err != nil {
		return memory.DuplicateResult{}, err
	}
	options := c.start(unique("duplicate/"+in.Collection), in.Project, memory.ActionDuplicate, in.Collection)
	var out memory.DuplicateResult
	err = c.ask(ctx, options, updateAnswer, "", &out, DetectDuplicate, []any{in})
	return out, err
}

// Credit raises (Helped) or lowers the confidence of memories that were
// recalled and then tried. While a part is down the credit is kept and given
// later; the answer names the part.
func (c *Client) Credit(ctx context.Context, in memory.CreditInput) (memory.CreditResult, error) {
	in, err := memory.Admit(c.redactor, in)
	if err != nil {
		return memory.CreditResult{}, err
	}
	in.User = cmp.Or(in.User, c.user)
	options := c.start(unique("credit"), in.Project, memory.ActionCredit, "")
	var out memory.CreditResult
	err = c.ask(ctx, options, updateAnswer, "", &out, CreditMemories, []any{in})
	if c.accepted(ctx, options.ID, err) {
		return memory.CreditResult{IDs: []string{}, WaitingFor: theWorker}, nil
	}
	if out.IDs == nil {
		out.IDs = []string{}
	}
	return out, err
}

// Update edits one memory and returns it as it is then. An id that was merged
// away is refused with the survivor's id, and so is a text that another live
// memory of the same place holds ([memory.Conflict]). While a part is down or
// refuses, the error is [memory.Unavailable] or [memory.Refused] and says that the
// edit will be made.
func (c *Client) Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error) {
	in, err := memory.Admit(c.redactor, in)
	if err != nil {
		return memory.Memory{}, err
	}
	if in.ID, err = c.resolveOne(ctx, in.ID); err != nil {
		return memory.Memory{}, err
	}
	options := c.start(unique("update/"+in.ID), "", memory.ActionUpdate, "")
	var out memory.Memory
	err = c.change(ctx, options, &out, UpdateMemory, in)
	return out, err
}

// Merge folds 2 to 50 live memories of one project, collection and type into
// one, or refuses and changes nothing. Memories that were merged into one
// before are returned as that one.
func (c *Client) Merge(ctx context.Context, ids []string) (memory.MergedGroup, error) {
	ids, err := c.Resolve(ctx, ids)
	if err != nil {
		return memory.MergedGroup{}, err
	}
	if err := memory.CheckMerge(ids); err != nil {
		return memory.MergedGroup{}, err
	}
	options := c.start(unique("merge"), "", memory.ActionMerge, "")
	var out memory.MergedGroup
	err = c.change(ctx, options, &out, MergeMemories, activities.FoldInput{IDs: ids, User: c.user})
	return out, err
}

// Record writes audit rows that change no memory. Each event's id is written
// once, however often it is sent. Nil means written, or, while a part is
// down, durable and written later.
func (c *Client) Record(ctx context.Context, events []memory.Event) error {
	if len(events) == 0 {
		return nil
	}
	events, err := memory.AdmitEvents(c.redactor, events)
	if err != nil {
		return err
	}
	for i := range events {
		events[i].User = cmp.Or(events[i].User, c.user)
	}
	options := c.start(unique("record"), events[0].Project, actionRecord, events[0].Collection)
	var out activities.Recorded
	err = c.ask(ctx, options, updateAnswer, "", &out, RecordEvents, []any{events})
	if c.accepted(ctx, options.ID, err) {
		return nil
	}
	return err
}
