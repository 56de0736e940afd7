package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/testkit/program"
	"github.com/mneme-memory/mneme/internal/toolname"
)

// limit is how long anything may take before a test gives up.
const limit = 20 * time.Second

var binary string // built once, by TestMain

func TestMain(m *testing.M) { os.Exit(program.Main(m, &binary)) }

// environment points at a home in which nothing runs.
func environment(t *testing.T) []string {
	home := t.TempDir()
	return append(os.Environ(), "MNEME_HOME="+home, "HOME="+home, "MNEME_TEMPORAL_ADDRESS=127.0.0.1:1", "CLAUDE_PROJECT_DIR="+home)
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = environment(t)
	return cmd
}

// The handshake needs no backend, and a tool says what is wrong, each time.
func checkNotRunning(t *testing.T, c *client.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatal(err)
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != len(toolname.All()) {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	for range 2 {
		var call mcp.CallToolRequest
		call.Params.Name, call.Params.Arguments = "memory_recall", map[string]any{"query": "x"}
		res, err := c.CallTool(ctx, call)
		if err != nil {
			t.Fatal(err)
		}
		text := res.Content[0].(mcp.TextContent).Text
		if !res.IsError || !strings.Contains(text, `check MNEME_TEMPORAL_ADDRESS`) {
			t.Errorf("answered %q", text)
		}
	}
}

func TestStdioWithoutBackend(t *testing.T) {
	t.Parallel()
	c, err := client.NewStdioMCPClient(binary, environment(t))
	if err != nil {
		t.Fatal(err)
	}
	checkNotRunning(t, c)
}

// TestHTTPWithoutBackend serves with the token that is given, else with one that it makes and
// names the file of.
func TestHTTPWithoutBackend(t *testing.T) {
	t.Parallel()
	t.Run("given", func(t *testing.T) {
		t.Parallel()
		httpWithoutBackend(t, "s3cret", "MNEME_MCP_TOKEN=s3cret")
	})
	t.Run("made", func(t *testing.T) {
		t.Parallel()
		httpWithoutBackend(t, "", "MNEME_MCP_TOKEN=")
	})
}

// httpWithoutBackend talks to a server with a token, or with that of the file it names.
func httpWithoutBackend(t *testing.T, token string, env ...string) {
	t.Helper()
	cmd := command(t, "--http", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, env...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	line, err := said.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	where, err := said.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if token == "" {
		_, path, _ := strings.Cut(where, "with the token of ")
		text, err := os.ReadFile(strings.TrimSpace(path))
		if err != nil {
			t.Fatal(err)
		}
		token = strings.TrimSpace(string(text))
	}
	c, err := client.NewStreamableHttpClient(strings.TrimSpace(strings.TrimPrefix(line, "listening on ")),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	if err != nil {
		t.Fatal(err)
	}
	checkNotRunning(t, c)
	address := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "listening on http://"), "/mcp")
	checkHealth(t, cmd.Env, address)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("stopped with %v", err)
	}
}

// checkHealth asks a server that runs, without Temporal, how it is: with its token and with another.
func checkHealth(t *testing.T, env []string, address string) {
	t.Helper()
	for _, tc := range []struct {
		token string
		want  []string
	}{
		{"", []string{"ok    server", "fail  Temporal", "check MNEME_TEMPORAL_ADDRESS"}},
		{"MNEME_MCP_TOKEN=another", []string{"fail  server", "wants another token"}},
	} {
		cmd := command(t, "health", "--http", address)
		cmd.Env = env
		if tc.token != "" {
			cmd.Env = append(env[:len(env):len(env)], tc.token)
		}
		out, err := cmd.Output()
		if err == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("health ended with %v", err)
		}
		for _, want := range tc.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("health does not say %q:\n%s", want, out)
			}
		}
	}
}

// Clients are told a version in plain words, not what Go calls a build of no release.
func TestProgramVersion(t *testing.T) {
	t.Parallel()
	if v := programVersion(); v == "" || strings.ContainsAny(v, "()") {
		t.Errorf("the version is %q", v)
	}
}

// Every byte of stdout is JSON-RPC, whatever comes in and however it ends.
func TestStdoutIsPure(t *testing.T) {
	t.Parallel()
	cmd := command(t)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"server/discover"}
garbage
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_store","arguments":{"text":"x"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_store","arguments":{"text":""}}}`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(lines) != 5 {
		t.Errorf("%d lines, want 5: %s", len(lines), out)
	}
	for _, line := range lines {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil || m["jsonrpc"] != "2.0" {
			t.Errorf("%q is no JSON-RPC", line)
		}
	}
}

func TestSignalsStopIt(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd := command(t)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// An answered ping shows that the signal will find it ready.
			if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		want int
		text string
	}{
		{[]string{"--nonsense"}, 2, "flag provided but not defined"},
		{[]string{"--http", "0.0.0.0:0"}, 1, "hint: use 127.0.0.1"},
		{[]string{"sing"}, 2, `no command "sing"`},
		{[]string{"health", "now"}, 2, `no argument "now"`},
	} {
		cmd := command(t, tc.args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || cmd.ProcessState.ExitCode() != tc.want || len(out) != 0 || !strings.Contains(stderr.String(), tc.text) {
			t.Errorf("%v: %v, stdout %q, stderr %q", tc.args, err, out, &stderr)
		}
	}
}

// The binary starts with every session, so it stays small.
func TestDependencies(t *testing.T) {
	t.Parallel()
	program.NotLinked(t, map[string]string{
		"go.temporal.io/server":                      "servers belong to the mneme binary",
		"github.com/temporalio/ui-server":            "servers belong to the mneme binary",
		"github.com/jackc/pgx":                       "activities speak to Postgres, in the worker",
		"github.com/qdrant/go-client":                "activities speak to Qdrant, in the worker",
		"github.com/ollama/ollama":                   "activities speak to Ollama, in the worker",
		"github.com/duckdb":                          "analytics is not done here",
		"github.com/mneme-memory/mneme/embedded":     "servers belong to the mneme binary",
		"github.com/mneme-memory/mneme/internal/cli": "the command line is another door",
	})
}
