package mcpserver

import (
	"context"
	"strings"

	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/memory"
)

// updated answers memory_update. The text is not repeated: the model has just
// written it.
type updated struct {
	ID         string   `json:"id"`
	Collection string   `json:"collection"`
	Project    string   `json:"project"`
	Type       string   `json:"type"`
	Tags       []string `json:"tags"`
	Importance float64  `json:"importance"`
	Pinned     bool     `json:"pinned"`
	Message    string   `json:"message"`
}

func (a updated) text() string { return a.Message }

// updateArgs are the arguments of memory_update. An empty text or type counts
// as left out; an empty list of tags takes them all away.
type updateArgs struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	Tags       *[]string `json:"tags"`
	Type       string    `json:"type"`
	Importance *float64  `json:"importance"`
	Pinned     *bool     `json:"pinned"`
	Keep       bool      `json:"keep"`
}

func (in updateArgs) input() memory.UpdateInput {
	out := memory.UpdateInput{ID: in.ID, Tags: in.Tags, Importance: in.Importance, Pinned: in.Pinned, Keep: in.Keep, Source: memory.SourceTool}
	if in.Text != "" {
		out.Text = &in.Text
	}
	if in.Type != "" {
		out.Type = &in.Type
	}
	return out
}

func (in updateArgs) validate() error { _, err := in.input().Clean(); return err }

func (s *Server) update(ctx context.Context, c Client, in updateArgs) (answer, error) {
	input := in.input()
	input.User = s.opts.User
	m, err := c.Update(ctx, input) // as it came: see store
	if err != nil {
		return nil, err
	}
	a := updated{
		ID: memory.ShortID(m.ID), Collection: m.Collection, Project: cleanText(m.Project), Type: m.Type, Tags: cleanTags(m.Tags),
		Importance: round(m.Importance), Pinned: m.Pinned, Message: "updated; the history keeps what it was before",
	}
	if in.Text != "" && strings.TrimSpace(in.Text) != m.Text {
		a.Message += "; secrets were taken out of the text"
	}
	return a, nil
}

func (s *Server) addUpdating() {
	text := textParam("text", "the whole new text", memory.MaxTextBytes)
	text.required = false
	add(s, spec{
		name: toolname.Update, title: "Correct a memory", timeout: s.opts.Deadlines.Other,
		about: "Correct one memory by id. What is left out stays; its history is kept.",
		params: []param{
			idParam("id", "", true), text, tagsParam("in place of all its tags"), unlisted(typeParam("")),
			{name: "importance", kind: kindNumber, min: 0, max: 1, about: "0-1"},
			{name: "pinned", kind: kindBool, about: "never prune it"},
			{name: "keep", kind: kindBool, about: "for good, if it would expire"},
		},
		effect: effect{destructive: true, idempotent: true},
	}, s.update)
}
