package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mneme-memory/mneme/memory"
)

// answer is a tool's structured result.
type answer interface {
	// text is the result in words, for clients that show no structured content.
	text() string
}

// spec describes a tool.
type spec struct {
	name, title, about string
	params             []param
	effect             effect
	alwaysLoad         bool // sent to the model even when tools are deferred
	keeps              bool // what it stores is kept on disk while mneme is down
	timeout            time.Duration
}

// effect says what calling a tool may do, for its annotations.
type effect struct{ readOnly, destructive, idempotent bool }

// alwaysLoadKey asks Claude Code to show a tool without a search for it.
const alwaysLoadKey = "anthropic/alwaysLoad"

// tool returns the entry of tools/list. It has no output schema: Claude Code
// neither shows nor checks one, and each session would pay for it.
func (d spec) tool() mcp.Tool {
	t := mcp.Tool{Name: d.name, Description: d.about, InputSchema: object(d.params), Annotations: d.effect.annotations(d.title)}
	if d.alwaysLoad {
		t.Meta = &mcp.Meta{AdditionalFields: map[string]any{alwaysLoadKey: true}}
	}
	return t
}

// annotations says what differs from the defaults of the protocol, by which a
// tool writes, destroys, and does more when it is called again. Of a tool that
// only reads, the other two are not asked. No client asks for openWorldHint.
func (e effect) annotations(title string) mcp.ToolAnnotation {
	a := mcp.ToolAnnotation{Title: title}
	if e.readOnly {
		a.ReadOnlyHint = mcp.ToBoolPtr(true)
		return a
	}
	if !e.destructive {
		a.DestructiveHint = mcp.ToBoolPtr(false)
	}
	if e.idempotent {
		a.IdempotentHint = mcp.ToBoolPtr(true)
	}
	return a
}

// add registers a tool whose arguments are an In.
func add[In any](s *Server, d spec, run func(ctx context.Context, c Client, in In) (answer, error)) {
	handler := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started := time.Now()
		ctx, cancel := context.WithTimeout(ctx, d.timeout)
		defer cancel()
		out, err := call(ctx, s, d, req, run)
		if err != nil {
			s.opts.Logger.InfoContext(ctx, "tool failed", "tool", d.name, "code", memory.CodeOf(err), "took", time.Since(started))
			return mcp.NewToolResultError(errorText(ctx, err)), nil
		}
		s.opts.Logger.DebugContext(ctx, "tool done", "tool", d.name, "took", time.Since(started))
		return mcp.NewToolResultStructured(out, out.text()), nil
	}
	s.tools = append(s.tools, server.ServerTool{Tool: d.tool(), Handler: handler})
}

// call checks the arguments before it connects: bad input is told even when
// mneme is not running.
func call[In any](ctx context.Context, s *Server, d spec, req mcp.CallToolRequest,
	run func(ctx context.Context, c Client, in In) (answer, error),
) (answer, error) {
	raw, err := rawArguments(req)
	if err != nil {
		return nil, err
	}
	var in In
	if err := decode(raw, d.params, &in); err != nil {
		return nil, err
	}
	if v, ok := any(in).(interface{ validate() error }); ok {
		if err := v.validate(); err != nil {
			return nil, err
		}
	}
	c, err := s.conn.get(ctx)
	if s.keepsFor(d, err) {
		return run(ctx, &unreachable{reason: err}, in)
	}
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, c, in)
	if down(err) {
		s.conn.drop(c)
	}
	return out, err
}

// down reports whether a call failed because mneme itself does not answer: the next one dials anew.
func down(err error) bool {
	return memory.CodeOf(err) == memory.Unavailable && memory.PartOf(err) == "Temporal"
}

// rawArguments returns the arguments as they were sent: the decoded form has
// already lost invalid UTF-8.
func rawArguments(req mcp.CallToolRequest) ([]byte, error) {
	if len(req.Params.RawArguments) > 0 {
		return req.Params.RawArguments, nil
	}
	if req.Params.Arguments == nil {
		return nil, nil
	}
	raw, err := json.Marshal(req.Params.Arguments)
	if err != nil {
		return nil, memory.Errorf(memory.Invalid, "", "read the arguments: %w", err)
	}
	return raw, nil
}

// errorText tells the model what went wrong and what to do about it.
func errorText(ctx context.Context, err error) string {
	hint := memory.HintOf(err)
	if inner := new(memory.Error); hint == "" && errors.As(err, &inner) {
		hint = memory.HintOf(inner)
	}
	if hint == "" && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		hint = `mneme did not answer in time: try again later, or let the user run "mneme doctor"`
	}
	text := "error: " + cleanText(err.Error())
	if hint != "" {
		text += "\nhint: " + cleanText(hint)
	}
	return text
}

// plural is "1 memory", "2 memories".
func plural(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}
