package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// fake is a Client of functions; calling one that is not set is an error.
type fake struct {
	store     func(memory.StoreInput) (memory.StoreResult, error)
	recall    func(memory.Query) (memory.RecallResult, error)
	forget    func(memory.ForgetInput) (memory.ForgetReceipt, error)
	plan      func(memory.PlanQuery) (memory.PlanPage, error)
	organize  func(context.Context, func(memory.OrganizeReport)) (memory.OrganizeReport, error)
	get       func([]string) ([]memory.Details, error)
	link      func(memory.Link) (memory.Link, error)
	related   func(id string, depth, limit int) ([]memory.Related, error)
	update    func(memory.UpdateInput) (memory.Memory, error)
	summarize func(memory.SummaryInput) (memory.Summary, error)
	snapshot  func(memory.SnapshotInput) (memory.SnapshotReport, error)
	undo      func(memory.UndoInput) (memory.UndoReport, error)
	waiting   []memory.Waiting

	conversations func(conversation.Query) (conversation.Result, error)
	read          func(conversation.Place) (conversation.Page, error)
}

func (f *fake) Waiting(context.Context) ([]memory.Waiting, error) { return f.waiting, nil }

func (f *fake) Undo(_ context.Context, in memory.UndoInput, _ func(memory.UndoReport)) (memory.UndoReport, error) {
	if f.undo == nil {
		return memory.UndoReport{}, errNotExpected
	}
	return f.undo(in)
}

var errNotExpected = errors.New("a call that the test does not expect")

func (f *fake) Store(_ context.Context, in memory.StoreInput) (memory.StoreResult, error) {
	if f.store == nil {
		return memory.StoreResult{}, errNotExpected
	}
	in, err := in.Clean() // as the real client does
	if err != nil {
		return memory.StoreResult{}, err
	}
	return f.store(in)
}

func (f *fake) Recall(_ context.Context, q memory.Query) (memory.RecallResult, error) {
	if f.recall == nil {
		return memory.RecallResult{}, errNotExpected
	}
	q, err := q.Clean()
	if err != nil {
		return memory.RecallResult{}, err
	}
	return f.recall(q)
}

func (f *fake) Forget(_ context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	if f.forget == nil {
		return memory.ForgetReceipt{}, errNotExpected
	}
	var err error
	if in.Filter, err = in.Filter.Clean(); err != nil {
		return memory.ForgetReceipt{}, err
	}
	return f.forget(in)
}

func (f *fake) Organize(ctx context.Context, _ memory.OrganizeInput, p func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
	if f.organize == nil {
		return memory.OrganizeReport{}, errNotExpected
	}
	return f.organize(ctx, p)
}

func (f *fake) Plan(_ context.Context, q memory.PlanQuery) (memory.PlanPage, error) {
	if f.plan == nil {
		return memory.PlanPage{}, nil
	}
	return f.plan(q)
}

func (f *fake) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	if f.get == nil {
		return nil, errNotExpected
	}
	return f.get(ids)
}

func (f *fake) Link(_ context.Context, l memory.Link) (memory.Link, error) {
	if f.link == nil {
		return l, errNotExpected
	}
	return f.link(l)
}

func (f *fake) Related(_ context.Context, id string, depth, limit int) ([]memory.Related, error) {
	if f.related == nil {
		return nil, errNotExpected
	}
	return f.related(id, depth, limit)
}

func (f *fake) Update(_ context.Context, in memory.UpdateInput) (memory.Memory, error) {
	in, err := in.Clean()
	if err == nil && f.update == nil {
		err = errNotExpected
	}
	if err != nil {
		return memory.Memory{}, err
	}
	return f.update(in)
}

func (f *fake) Summarize(_ context.Context, in memory.SummaryInput) (memory.Summary, error) {
	if f.summarize == nil {
		return memory.Summary{}, errNotExpected
	}
	return f.summarize(in)
}

func (f *fake) Close() {}

// newServer is a server on the fake, for a project of its own.
func newServer(t *testing.T, f *fake) *Server {
	t.Helper()
	s := New(Options{
		Dial:    func(context.Context) (Client, error) { return f, nil },
		Project: func() string { return "example.org/me/app" }, Session: "s-default", User: "me",
	})
	t.Cleanup(s.Close)
	return s
}

// connect is a real MCP client talking to s in this process.
func connect(t *testing.T, s *Server) *client.Client {
	t.Helper()
	c, err := client.NewInProcessClient(s.MCP())
	if err != nil {
		t.Fatal(err)
	}
	handshake(t, c)
	return c
}

func handshake(t *testing.T, c *client.Client) *mcp.InitializeResult {
	t.Helper()
	t.Cleanup(func() { _ = c.Close() }) // a server that stopped first is no failure
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var req mcp.InitializeRequest
	req.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	req.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	res, err := c.Initialize(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// callTool calls a tool and returns its error text, or its structured
// content.
func callTool(t *testing.T, c *client.Client, name string, args any) (structured map[string]any, errText string) {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := c.CallTool(t.Context(), req)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(res.Content) == 0 {
		t.Fatalf("%s: no text content", name)
	}
	text, ok := res.Content[0].(mcp.TextContent)
	if !ok || text.Text == "" {
		t.Fatalf("%s: first content is %#v", name, res.Content[0])
	}
	if res.IsError {
		if res.StructuredContent != nil {
			t.Errorf("%s: an error with structured content would lose its text", name)
		}
		return nil, text.Text
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &structured); err != nil {
		t.Fatalf("%s: structured content %s: %v", name, b, err)
	}
	return structured, ""
}

// mustCall is callTool for a call that succeeds.
func mustCall(t *testing.T, c *client.Client, name string, args any) map[string]any {
	t.Helper()
	out, errText := callTool(t, c, name, args)
	if errText != "" {
		t.Fatalf("%s: %s", name, errText)
	}
	return out
}

func wantText(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("text %q lacks %q", got, p)
		}
	}
}

const (
	idA = "11111111-2222-8333-8444-555555555555"
	idB = "aaaaaaaa-2222-8333-8444-555555555555"
)

func (f *fake) Snapshot(
	_ context.Context, in memory.SnapshotInput, _ func(memory.SnapshotReport),
) (memory.SnapshotReport, error) {
	if f.snapshot == nil {
		return memory.SnapshotReport{}, errNotExpected
	}
	return f.snapshot(in)
}
