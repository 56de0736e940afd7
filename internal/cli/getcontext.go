package cli

import (
	"context"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// contextSize is how many messages before and after its making a memory is shown with.
const contextSize = 3

// contextJSON is a memory with what was said when it was made.
type contextJSON struct {
	memory.Details
	Context []conversation.Message `json:"context"`
}

// printContexts shows memories, and what was said around the time at which each was made.
func (a *app) printContexts(ctx context.Context, c pageReader, ids []string, found []memory.Details) error {
	var out []contextJSON
	for _, d := range found {
		messages, err := a.contextOf(ctx, c, d.Memory)
		if err != nil {
			return err
		}
		out = append(out, contextJSON{d, list(messages)})
	}
	if a.json {
		for i := range out {
			out[i].Tags, out[i].Links = list(out[i].Tags), list(out[i].Links)
		}
		if err := a.printJSON(list(out)); err != nil || len(out) > 0 {
			return err
		}
		return quiet(ExitNothing)
	}
	return a.paged(ctx, func() error {
		if err := a.printDetails(ids, found); err != nil {
			return err
		}
		for _, one := range out {
			if len(one.Context) == 0 {
				continue
			}
			if err := a.printf(
				"\n%s\n", a.paint().bold("What was said when "+memory.ShortID(one.ID)+" was made:"),
			); err != nil {
				return err
			}
			if err := a.printMessages(one.Context, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// contextOf returns what was said around the time at which a memory was made: none, with a note,
// if it came from no session or the session is not archived.
func (a *app) contextOf(ctx context.Context, c pageReader, m memory.Memory) ([]conversation.Message, error) {
	if m.Session == "" {
		a.note("memory %s was made in no session", memory.ShortID(m.ID))
		return nil, nil
	}
	p := conversation.Place{
		Session: m.Session, Near: &m.CreatedAt, Around: contextSize,
		Project: m.Project, AllProjects: m.Project == memory.Global,
	}
	page, err := c.ReadConversation(ctx, p)
	if memory.CodeOf(err) == memory.NotFound {
		a.note(
			"the conversation of memory %s is not archived: \"mneme import --claude\" archives what is still there",
			memory.ShortID(m.ID))
		return nil, nil
	}
	return conversation.Join(page.Messages), err
}
