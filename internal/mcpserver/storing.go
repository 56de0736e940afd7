package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/memory"
)

// stored answers memory_store and its four relatives.
type stored struct {
	ID         string        `json:"id"`
	Status     memory.Status `json:"status"`
	Project    string        `json:"project"`
	Collection string        `json:"collection"`
	Similarity float64       `json:"similarity,omitempty"`
	WaitingFor string        `json:"waiting_for,omitempty"`
	WorkflowID string        `json:"workflow_id,omitempty"`
	Redacted   []string      `json:"redacted,omitempty"`
	Message    string        `json:"message"`
}

func (a stored) text() string { return fmt.Sprintf("%s %s: %s", a.Status, a.ID, a.Message) }

func newStored(r memory.StoreResult) stored {
	a := stored{
		ID: memory.ShortID(r.ID), Status: r.Status, Project: r.Project, Collection: r.Collection, Similarity: round(r.Similarity),
		WaitingFor: r.WaitingFor, Redacted: r.Redacted, Message: cleanText(r.Message),
	}
	if r.Status == memory.Accepted {
		a.WorkflowID = r.WorkflowID // the only way to follow it up
	}
	if a.Message == "" {
		a.Message = storeMessage(r)
	}
	return a
}

func storeMessage(r memory.StoreResult) string {
	var msg string
	switch {
	case r.Status == memory.MergedIn:
		msg = "the same fact was known already; it is confirmed, nothing more to do"
	case r.Status == memory.Accepted && r.WaitingFor != "":
		msg = "accepted, will be stored when " + r.WaitingFor + " is back; do not send it again"
	case r.Status == memory.Accepted:
		msg = "accepted, will be stored soon; do not send it again"
	default:
		msg = "stored"
	}
	for _, a := range r.Alike {
		msg += "; " + alikeMessage(a)
	}
	if len(r.Redacted) > 0 {
		msg += "; taken out of the text: " + strings.Join(r.Redacted, ", ")
	}
	return msg
}

// alikeMessage names a memory that is much like the one that was stored, and
// what to do about it. The two differ in a word or a value: only whoever stored
// knows whether both hold.
func alikeMessage(a memory.Alike) string {
	const most = 160
	text, _ := cut(strings.Join(strings.Fields(cleanText(a.Text)), " "), most)
	id := memory.ShortID(a.ID)
	if a.Over {
		return fmt.Sprintf("much like %s: %q, and seems to replace it; if so, link this one to it as contradicts", id, text)
	}
	return fmt.Sprintf("much like %s: %q; update it, or link as contradicts", id, text)
}

// storeArgs are the arguments of memory_store.
type storeArgs struct {
	Text       string               `json:"text"`
	Type       string               `json:"type"`
	Tags       []string             `json:"tags"`
	Project    string               `json:"project"`
	Collection string               `json:"collection"`
	Importance *float64             `json:"importance"`
	Pinned     bool                 `json:"pinned"`
	Session    string               `json:"session"`
	Links      []memory.LinkRequest `json:"links"`
}

func (in storeArgs) input() memory.StoreInput {
	return memory.StoreInput{
		Text: in.Text, Type: in.Type, Tags: in.Tags, Project: in.Project, Collection: in.Collection,
		Importance: in.Importance, Pinned: in.Pinned, Session: in.Session, Links: in.Links, Source: memory.SourceTool,
	}
}

func (in storeArgs) validate() error { _, err := in.input().Clean(); return err }

// storeEffect: storing adds only, and storing the same again changes nothing
// but the confidence.
func storeEffect() effect { return effect{idempotent: true} }

func (s *Server) addStoring() {
	add(s, spec{
		name: toolname.Store, title: "Remember a fact", alwaysLoad: true, keeps: true, timeout: s.opts.Deadlines.Store,
		about: "Remember one complete fact for later sessions: a decision and why, a preference, an error and its fix, what files do not say. " +
			"It must be understood alone. Repeats merge, secrets are taken out. " +
			"To correct a memory: memory_update, or store the new one and memory_link it as contradicts.",
		params: []param{
			asking("the fact, one to a few sentences", textParam("text", "", memory.MaxTextBytes)),
			typeParam(memory.TypeFact),
			tagsParam(""),
			projectParam("default: the current one; _global: everywhere"),
			{name: "importance", kind: kindNumber, min: 0, max: 1, about: "0-1"},
			{name: "pinned", kind: kindBool},
			rare(collectionParam("")),
			{name: "session", kind: kindString, maxLen: memory.MaxNameBytes, rare: true},
			{name: "links", kind: kindLinks, items: 20, rare: true},
		},
		effect: storeEffect(),
	}, func(ctx context.Context, c Client, in storeArgs) (answer, error) { return s.store(ctx, c, in.input()) })
	s.addKeeping()
}

// store fills in where the call comes from and stores.
func (s *Server) store(ctx context.Context, c Client, in memory.StoreInput) (answer, error) {
	in.Project, in.Session = s.project(ctx, in.Project), s.session(in.Session)
	in.User, in.Source = s.opts.User, memory.SourceTool
	if _, err := in.Clean(); err != nil {
		return nil, err
	}
	// Sent as it came: the client redacts first, and a token in a tag would
	// no longer be known as one in lower case.
	r, err := c.Store(ctx, in)
	if err != nil {
		if down(err) { // here, because the caller sees no error when the text is kept
			s.conn.drop(c)
		}
		return s.keepForLater(in, err)
	}
	return newStored(r), nil
}
