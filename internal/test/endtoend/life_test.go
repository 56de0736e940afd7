package endtoend

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	discover = `{"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	hello    = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"claude-code","version":"2.1.329"}}}`
	ready    = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	recall   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_recall","arguments":{"query":"anything"}}}`
)

// raw is a mneme-mcp whose streams the test holds itself.
type raw struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
}

func startRaw(t *testing.T, name string, args ...string) *raw {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	cmd := shared.command(ctx, "mneme-mcp")
	if name != "" {
		cmd.Path, cmd.Args = name, append([]string{name}, args...)
	}
	cmd.Stderr = shared.said
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
	return &raw{cmd, stdin, bufio.NewReader(stdout)}
}

// say sends a line.
func (r *raw) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(r.stdin, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// hear returns the next answer.
func (r *raw) hear(t *testing.T) map[string]any {
	t.Helper()
	line, err := r.lines.ReadString('\n')
	if err != nil {
		t.Fatalf("read an answer: %v", err)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(line), &out); err != nil || out["jsonrpc"] != "2.0" {
		t.Fatalf("%q is no JSON-RPC: %v", line, err)
	}
	return out
}

// session makes the handshake and one call that reaches the daemon.
func (r *raw) session(t *testing.T) {
	t.Helper()
	for _, line := range []string{hello, ready, recall} {
		r.say(t, line)
	}
	for range 2 {
		if m := r.hear(t); m["result"] == nil {
			t.Fatalf("answered %v", m)
		}
	}
}

// ended waits for the end and wants it clean.
func (r *raw) ended(t *testing.T, since time.Time) {
	t.Helper()
	rest, err := io.ReadAll(r.lines)
	if err != nil || len(rest) > 0 {
		t.Errorf("after the last answer came %q, %v", rest, err)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	t.Logf("ended after %s", time.Since(since).Round(time.Millisecond))
}

// Claude Code asks server/discover before the handshake; a server that is
// silent costs it three seconds, one that answers it otherwise loses features.
func TestDiscoverIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	r := startRaw(t, "")
	r.say(t, discover)
	m := r.hear(t) // nothing else was sent: it waits for no handshake
	e, _ := m["error"].(map[string]any)
	if m["id"] != "probe" || e["code"] != -32601.0 {
		t.Errorf("answered %v", m)
	}
	r.session(t)
	if err := r.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	r.ended(t, time.Now())
}

func TestStdinClosed(t *testing.T) {
	t.Parallel()
	r := startRaw(t, "")
	r.session(t)
	start := time.Now()
	if err := r.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	r.ended(t, start)
}

// Claude Code stops a server with SIGINT and leaves stdin open; SIGTERM
// follows after 100 ms. Both end it cleanly.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			r := startRaw(t, "")
			r.session(t)
			start := time.Now()
			if err := r.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			r.ended(t, start)
		})
	}
}

// A parent that is killed closes nothing when someone else holds the pipes
// too, as this test does: mneme-mcp ends all the same.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh on this machine to be the parent")
	}
	// A job in the background gets no stdin unless it is handed over.
	r := startRaw(t, shell, "-c", `exec 3<&0; "$0" <&3 3<&- & exec 3<&-; wait`, shared.bin+"/mneme-mcp")
	r.session(t)
	start := time.Now()
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The end of its output is the end of the child: the shell is dead.
	rest, err := io.ReadAll(r.lines)
	if err != nil || len(rest) > 0 {
		t.Errorf("after its parent's end it said %q, %v", rest, err)
	}
	if err := r.cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the parent ended with %v", err)
	}
	t.Logf("ended after %s", time.Since(start).Round(time.Millisecond))
}
