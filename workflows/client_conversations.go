package workflows

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// Archive adds one batch of messages to the archive of conversations. The same batch sent twice at
// once is one workflow with two listeners.
func (c *Client) Archive(ctx context.Context, b conversation.Batch) (conversation.Archived, error) {
	var out conversation.Archived
	if len(b.Messages) == 0 || len(b.Messages) > conversation.MaxBatch {
		return out, memory.Errorf(memory.Invalid, "split it", "a batch has 1 to %d messages, not %d", conversation.MaxBatch, len(b.Messages))
	}
	clean := make([]conversation.Message, len(b.Messages)) // not in place: the caller may send its batch again
	for i, m := range b.Messages {
		var err error
		if clean[i] = m; b.Redacted {
			err = m.Check()
		} else {
			clean[i], _, err = conversation.Admit(c.redactor, m)
		}
		if err != nil {
			return out, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	b.Messages, b.User = clean, cmp.Or(b.User, c.user)
	data, err := json.Marshal(b)
	if err != nil {
		return out, fmt.Errorf("send messages: %w", err)
	}
	sum := sha256.Sum256(data)
	options := c.start(Own(fmt.Sprintf("archive/%x", sum[:16]), c.ledger), "", memory.ActionArchive, conversation.Collection)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	err = c.ask(ctx, options, updateAnswer, "", &out, ArchiveConversations, []any{b})
	return out, err
}

// SearchConversations answers a question from the archive of conversations.
func (c *Client) SearchConversations(ctx context.Context, q conversation.Query) (conversation.Result, error) {
	q, err := q.Clean(c.redactor)
	if err != nil {
		return conversation.Result{}, err
	}
	q.AllProjects = q.Project == ""
	out, err := c.conversations(ctx, activities.ConversationsInput{Search: &q})
	if err != nil || out.Search == nil {
		return conversation.Result{}, err
	}
	return *out.Search, nil
}

// ReadConversation returns messages of a conversation, in parts: see [conversation.Join]. Pages go on
// at Page.Next until there is none.
func (c *Client) ReadConversation(ctx context.Context, p conversation.Place) (conversation.Page, error) {
	p, err := p.Clean(c.redactor)
	if err != nil {
		return conversation.Page{}, err
	}
	p.AllProjects = p.Project == ""
	out, err := c.conversations(ctx, activities.ConversationsInput{Read: &p})
	if err != nil || out.Read == nil {
		return conversation.Page{}, err
	}
	return *out.Read, nil
}

// Conversations lists conversations, newest first.
func (c *Client) Conversations(ctx context.Context, l conversation.Listing) ([]conversation.Session, error) {
	l, err := l.Clean(c.redactor)
	if err != nil {
		return nil, err
	}
	l.AllProjects = l.Project == ""
	out, err := c.conversations(ctx, activities.ConversationsInput{List: &l})
	return out.List, err
}

// ConversationStats says how much the archive holds.
func (c *Client) ConversationStats(ctx context.Context) (conversation.Stats, error) {
	out, err := c.conversations(ctx, activities.ConversationsInput{Stats: true})
	if err != nil || out.Stats == nil {
		return conversation.Stats{}, err
	}
	return *out.Stats, nil
}

func (c *Client) conversations(ctx context.Context, in activities.ConversationsInput) (activities.ConversationsOutput, error) {
	var out activities.ConversationsOutput
	err := c.ask(ctx, c.start(unique("conversations"), "", "read", conversation.Collection), updateAnswer, "", &out, AskConversations, []any{in})
	return out, err
}

// ForgetConversations forgets what a filter selects of the archive, or with DryRun counts it.
func (c *Client) ForgetConversations(ctx context.Context, in conversation.ForgetInput) (conversation.Receipt, error) {
	var out conversation.Receipt
	var err error
	if in.Filter, err = in.Filter.Clean(c.redactor); err != nil {
		return out, err
	}
	in.User = cmp.Or(in.User, c.user)
	options := c.start(unique("forget-conversations"), in.Filter.Project, memory.ActionForget, conversation.Collection)
	if in.DryRun {
		err = c.ask(ctx, options, updateAnswer, "", &out, ForgetConversations, []any{in})
		return out, err
	}
	err = c.change(ctx, options, &out, ForgetConversations, in)
	return out, err
}

// IndexConversations writes the parts of archived messages that the index lacks, or with anew all
// parts, to the index, and returns how many parts were written. A call joins an indexing run that is
// already under way.
func (c *Client) IndexConversations(ctx context.Context, anew bool) (int, error) {
	options := c.start(Own("index-conversations", c.ledger), "", memory.ActionRebuild, conversation.Collection)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	run, err := c.temporal.ExecuteWorkflow(ctx, options, IndexConversations, activities.IndexConversationsInput{Anew: anew})
	if err != nil {
		return 0, fromTemporal(err)
	}
	return follow[int](ctx, run, nil, nil)
}
