package activities

import (
	"context"
	"errors"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// ConversationsInput is one question to the archive; exactly one field is set.
type ConversationsInput struct {
	Search *conversation.Query   `json:"search,omitempty"`
	Read   *conversation.Place   `json:"read,omitempty"`
	List   *conversation.Listing `json:"list,omitempty"`
	Count  *conversation.Filter  `json:"count,omitempty"` // what would be forgotten
	Stats  bool                  `json:"stats,omitempty"`
}

// ConversationsOutput answers a [ConversationsInput] in the field of the same name.
type ConversationsOutput struct {
	Search *conversation.Result   `json:"search,omitempty"`
	Read   *conversation.Page     `json:"read,omitempty"`
	List   []conversation.Session `json:"list,omitempty"`
	Count  *conversation.Receipt  `json:"count,omitempty"`
	Stats  *conversation.Stats    `json:"stats,omitempty"`
}

// AskConversations answers one question to the archive. It changes nothing.
func (a *Activities) AskConversations(ctx context.Context, in ConversationsInput) (ConversationsOutput, error) {
	var out ConversationsOutput
	var err error
	switch {
	case in.Search != nil:
		out.Search, err = a.searchConversations(ctx, *in.Search)
	case in.Read != nil:
		out.Read, err = a.readConversation(ctx, *in.Read)
	case in.List != nil:
		var l conversation.Listing
		if l, err = in.List.Clean(a.Redactor); err == nil {
			out.List, err = a.Ledger.ArchiveSessions(ctx, l)
		}
	case in.Count != nil:
		out.Count, err = a.countConversations(ctx, *in.Count)
	case in.Stats:
		var s conversation.Stats
		s, err = a.Ledger.ArchiveStats(ctx)
		out.Stats = &s
	default:
		err = memory.Errorf(memory.Invalid, "", "nothing was asked of the archive")
	}
	return out, err
}

// searchConversations answers by keywords alone when the embedding model is down or another one.
func (a *Activities) searchConversations(ctx context.Context, q conversation.Query) (*conversation.Result, error) {
	ctx = a.pin(ctx)
	q, err := q.Clean(a.Redactor)
	if err != nil {
		return nil, err
	}
	vectors, degraded, err := a.embedQueries(ctx, []string{q.Text})
	if err != nil {
		return nil, err
	}
	candidates, err := a.index(ctx).SearchPassages(ctx, conversation.Search{
		Text: q.Text, Vector: vectors[0], Project: q.Project, Session: q.Session, Roles: q.Roles,
		Since: q.Since, Before: q.Before, Limit: q.Limit,
	})
	gone := errors.Is(err, memory.ErrNoCollection)
	if err != nil && !gone {
		return nil, err
	}
	found, err := a.Ledger.ArchivePassages(ctx, candidates)
	if err != nil {
		return nil, err
	}
	res := conversation.Rank(q, a.calibration(ctx), found, a.Now())
	res.Degraded = degraded
	if gone || len(res.Hits) == 0 {
		stats, err := a.Ledger.ArchiveStats(ctx)
		switch {
		case err != nil:
			return nil, err
		case stats.Messages == 0:
			res.Degraded = joined(degraded, `nothing is archived yet: "mneme import --claude" does that`)
		case gone || stats.Unindexed > 0:
			res.Degraded = joined(degraded, `not all conversations are indexed: "mneme conversations index" does that`)
		}
	}
	return &res, nil
}

func (a *Activities) readConversation(ctx context.Context, p conversation.Place) (*conversation.Page, error) {
	p, err := p.Clean(a.Redactor)
	if err != nil {
		return nil, err
	}
	var page conversation.Page
	if p.Near != nil || p.Message != "" && !p.Thread {
		page, err = a.Ledger.ArchiveAround(ctx, p)
	} else {
		page, err = a.Ledger.ArchivePage(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	if len(page.Messages) == 0 && p.After == nil {
		return nil, memory.Errorf(memory.NotFound, `"mneme import --claude" archives what was said; a conversation of another project is shown with all projects`,
			"the conversation %s is not in the archive", memory.Clip(p.Session, 80))
	}
	return &page, nil
}

func (a *Activities) countConversations(ctx context.Context, f conversation.Filter) (*conversation.Receipt, error) {
	f, err := a.cleanFilter(ctx, f)
	if err != nil {
		return nil, err
	}
	r, err := a.Ledger.ArchiveCount(ctx, f)
	r.DryRun = true
	return &r, err
}

// cleanFilter also makes an id of the beginning of one.
func (a *Activities) cleanFilter(ctx context.Context, f conversation.Filter) (conversation.Filter, error) {
	f, err := f.Clean(a.Redactor)
	if err != nil || f.Message == "" || memory.ValidID(f.Message) {
		return f, err
	}
	m, err := a.Ledger.ArchiveResolve(ctx, f.Message, f.Project)
	f.Message = m.ID
	return f, err
}
