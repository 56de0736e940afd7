package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/homestate"
)

// TestStartsMneme has a session with nothing running: the handshake is answered at once,
// the first call waits for the daemon that was started, and the daemon outlives the session.
func TestStartsMneme(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the mneme program")
	}
	mneme := filepath.Join(t.TempDir(), "mneme")
	if out, err := exec.Command("go", "build", "-o", mneme, "../mneme").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	home := t.TempDir()
	env := append(os.Environ(), "MNEME_HOME="+home, "HOME="+home, "MNEME_TEMPORAL_ADDRESS=", "MNEME_BIN="+mneme,
		"CLAUDE_PROJECT_DIR="+home, "MNEME_UI_PORT=0", "MNEME_QDRANT_BINARY=none", "MNEME_EMBED_MODEL=mneme-static")
	t.Cleanup(func() {
		down := exec.Command(mneme, "down")
		down.Env = env
		if out, err := down.CombinedOutput(); err != nil {
			t.Errorf("down: %v: %s", err, out)
		}
		if pid, err := homestate.Holder(home); err != nil || pid != 0 {
			t.Errorf("process %d still holds the home: %v", pid, err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for session := range 2 { // the second finds the daemon of the first
		began := time.Now()
		c, err := client.NewStdioMCPClient(binary, env)
		if err != nil {
			t.Fatal(err)
		}
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
		if _, err := c.Initialize(ctx, hello); err != nil {
			t.Fatal(err)
		}
		shaken := time.Since(began)
		var call mcp.CallToolRequest
		call.Params.Name, call.Params.Arguments = "memory_store", map[string]any{"text": "The API listens on port 8443"}
		res, err := c.CallTool(ctx, call)
		for err == nil && res.IsError && strings.Contains(res.Content[0].(mcp.TextContent).Text, "still starting") {
			res, err = c.CallTool(ctx, call) // on a loaded machine the first start takes longer than a call may
		}
		if err != nil || res.IsError {
			t.Fatalf("store: %v, %+v", err, res)
		}
		t.Logf("session %d: handshake after %s, stored after %s", session, shaken.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if _, ready, err := homestate.Running(home); err != nil || !ready {
			t.Errorf("the daemon went with the session: %v", err)
		}
	}
}
