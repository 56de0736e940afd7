package endtoend

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// door is one MCP session.
type door struct {
	*client.Client
	w *world
}

// stdio starts a mneme-mcp as Claude Code does. settings are further
// variables of its environment.
func (w *world) stdio(t *testing.T, settings ...string) door {
	t.Helper()
	c, err := client.NewStdioMCPClientWithOptions("mneme-mcp", nil, nil,
		transport.WithCommandFunc(func(_ context.Context, name string, _, args []string) (*exec.Cmd, error) {
			// It ends by its own when stdin is closed: see TestStdinClosed.
			cmd := w.command(context.WithoutCancel(t.Context()), name, args...)
			cmd.Env, cmd.Stderr = append(cmd.Env, settings...), w.said
			return cmd, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return w.handshake(t, c)
}

// http starts a mneme-mcp that serves HTTP, with a token, and connects to it.
func (w *world) http(t *testing.T, headers map[string]string) door {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	cmd := w.command(ctx, "mneme-mcp", "--http", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "MNEME_MCP_TOKEN=let-me-in")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	copied := make(chan error, 1)
	go func() { _, err := io.Copy(w.said, lines); copied <- err }()
	t.Cleanup(func() {
		cancel()
		if err := <-copied; err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("mneme-mcp --http ended with %v", err)
		}
	})
	headers["Authorization"] = "Bearer let-me-in"
	c, err := client.NewStreamableHttpClient(strings.TrimSpace(strings.TrimPrefix(line, "listening on ")),
		transport.WithHTTPHeaders(headers))
	if err != nil {
		t.Fatal(err)
	}
	return w.handshake(t, c)
}

func (w *world) handshake(t *testing.T, c *client.Client) door {
	t.Helper()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close the session: %v", err)
		}
	})
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "endtoend", Version: "1"}
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return door{c, w}
}

// try calls a tool and returns its structured content, or the text of its
// error.
func (d door) try(t *testing.T, tool string, args map[string]any) (out map[string]any, errText string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := d.CallTool(ctx, req)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	whole, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.w.said.Write(append(whole, '\n')); err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		return nil, res.Content[0].(mcp.TextContent).Text
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%s answered %s: %v", tool, b, err)
	}
	return out, ""
}

// call is try for a call that succeeds.
func (d door) call(t *testing.T, tool string, args map[string]any) map[string]any {
	t.Helper()
	out, errText := d.try(t, tool, args)
	if errText != "" {
		t.Fatalf("%s %.300v: %s", tool, args, errText)
	}
	return out
}
