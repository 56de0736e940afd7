package cli

import (
	"context"
	"time"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// said are two messages of a conversation.
func said() []conversation.Message {
	at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	return []conversation.Message{
		{ID: idA, Project: "here", Session: "s1", Role: conversation.User, At: at, Text: "Which port does the \x1b[31mAPI use?"},
		{ID: idB, Project: "here", Session: "s1", Role: conversation.Assistant, Position: 1, At: at.Add(time.Minute), Text: "8443."},
	}
}

func (f fake) Archive(_ context.Context, b conversation.Batch) (conversation.Archived, error) {
	if f.archive == nil {
		return conversation.Archived{}, errUnexpected
	}
	return f.archive(b)
}

func (f fake) SearchConversations(_ context.Context, q conversation.Query) (conversation.Result, error) {
	q, err := q.Clean(asIs{})
	if err != nil {
		return conversation.Result{}, err
	}
	if q.Text == "nothing" {
		return conversation.Result{Hits: []conversation.Hit{}, Degraded: "nothing is archived yet"}, nil
	}
	return conversation.Result{Hits: []conversation.Hit{{Message: said()[1], Score: 0.8}}}, nil
}

func (f fake) ReadConversation(_ context.Context, p conversation.Place) (conversation.Page, error) {
	p, err := p.Clean(asIs{})
	if err != nil {
		return conversation.Page{}, err
	}
	if p.Message == "ffffffff" {
		return conversation.Page{}, memory.Errorf(memory.NotFound, "search for it", "there is no message %s in %s", p.Message, p.Project)
	}
	if p.After != nil {
		return conversation.Page{}, nil
	}
	page := conversation.Page{Messages: said(), Marked: idB}
	if p.Session != "" || p.Thread {
		page.Next = &conversation.Cursor{ID: idB}
	}
	return page, nil
}

func (f fake) Conversations(_ context.Context, l conversation.Listing) ([]conversation.Session, error) {
	l, err := l.Clean(asIs{})
	if err != nil || l.Project == "empty" {
		return nil, err
	}
	m := said()
	return []conversation.Session{{Session: "s1", Project: "here", Messages: 2, First: m[0].At, Last: m[1].At, Opening: m[0].Text}}, nil
}

func (f fake) ForgetConversations(_ context.Context, in conversation.ForgetInput) (conversation.Receipt, error) {
	var err error
	if in.Filter, err = in.Filter.Clean(asIs{}); err != nil {
		return conversation.Receipt{}, err
	}
	m := said()
	if in.Filter.Session == "none" {
		return conversation.Receipt{Verified: true, DryRun: in.DryRun}, nil
	}
	return conversation.Receipt{
		Messages: 2, Sessions: 1, Projects: []string{"here"}, First: &m[0].At, Last: &m[1].At, DryRun: in.DryRun, Verified: !in.DryRun,
	}, nil
}

func (f fake) ConversationStats(context.Context) (conversation.Stats, error) {
	return conversation.Stats{Messages: 2, Sessions: 1, Projects: 1}, nil
}

func (f fake) IndexConversations(context.Context, bool) (int, error) { return 2, nil }
