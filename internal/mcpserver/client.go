package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Client is what the tools need of the workflows client. Its errors are
// [memory.Error]s. Ending the context of a call ends the wait, not the work.
type Client interface {
	Store(ctx context.Context, in memory.StoreInput) (memory.StoreResult, error)
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
	Forget(ctx context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error)
	Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error)
	Plan(ctx context.Context, q memory.PlanQuery) (memory.PlanPage, error)
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
	Link(ctx context.Context, link memory.Link) (memory.Link, error)
	Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error)
	Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error)
	Summarize(ctx context.Context, in memory.SummaryInput) (memory.Summary, error)
	Snapshot(ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport)) (memory.SnapshotReport, error)
	Undo(ctx context.Context, in memory.UndoInput, progress func(memory.UndoReport)) (memory.UndoReport, error)
	Waiting(ctx context.Context) ([]memory.Waiting, error)
	archive
	Close()
}

// Dial connects to the backend. It is first called by the first tool call,
// and again by later ones for as long as it fails.
type Dial func(ctx context.Context) (Client, error)

// notRunning is the hint when the backend cannot be reached and the error
// brings none of its own.
const notRunning = `mneme is not running: start it with "mneme up"`

// connector dials once, when first asked, so that starting the server needs
// no backend.
type connector struct {
	dial   Dial
	turn   chan struct{} // holds one token: who has it may dial and touch client
	client Client
}

func newConnector(dial Dial) *connector {
	c := &connector{dial: dial, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// get returns the client, connecting if that has not succeeded before.
func (c *connector) get(ctx context.Context) (Client, error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return nil, memory.Down("Temporal", notRunning, fmt.Errorf("wait for the connection: %w", ctx.Err()))
	}
	defer func() { c.turn <- struct{}{} }()
	if c.client != nil {
		return c.client, nil
	}
	client, err := c.dial(ctx)
	if code := memory.CodeOf(err); code == memory.Invalid || code == memory.Refused {
		return nil, fmt.Errorf("connect to mneme: %w", err) // a bad setting or key: starting mneme would not help
	}
	if err != nil {
		hint := memory.HintOf(err)
		if hint == "" {
			hint = notRunning
		}
		return nil, memory.Down("Temporal", hint, fmt.Errorf("connect to mneme: %w", err))
	}
	c.client = client
	return client, nil
}

// closeAfter is how long a dropped client is kept for calls that still use
// it: longer than any tool may take.
const closeAfter = 2 * time.Minute

// drop forgets a client whose backend does not answer, so that the next get
// dials anew: after a restart mneme may listen on another port.
func (c *connector) drop(client Client) {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	if c.client == client {
		c.client = nil
		time.AfterFunc(closeAfter, client.Close)
	}
}

// close closes the client if there is one. A later get dials again.
func (c *connector) close() {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	if c.client != nil {
		c.client.Close()
		c.client = nil
	}
}
