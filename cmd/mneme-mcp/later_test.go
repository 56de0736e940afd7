package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// receiver takes what was kept.
type receiver struct {
	spool.Receiver
	stored []memory.StoreInput
}

func (r *receiver) StoreOnce(_ context.Context, _ string, in memory.StoreInput) (memory.StoreResult, error) {
	r.stored = append(r.stored, in)
	return memory.StoreResult{ID: in.ID(), Status: memory.Stored}, nil
}

// TestStoreWithoutBackend: a text that cannot be stored now is on disk, without its secret, and is
// delivered by the next connection.
func TestStoreWithoutBackend(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := append(os.Environ(), "MNEME_HOME="+home, "HOME="+home, "MNEME_TEMPORAL_ADDRESS=127.0.0.1:1", "CLAUDE_PROJECT_DIR="+home)
	c, err := client.NewStdioMCPClient(binary, env)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatal(err)
	}
	const secret = "ghp_" + "x7Kd93mQp2LsVb8TzR4nYc6WfA1hJ5uE0gQo"
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "memory_store", map[string]any{"text": "The token of the mirror is " + secret, "project": "shop"}
	res, err := c.CallTool(ctx, call)
	if err != nil || res.IsError || !strings.Contains(res.Content[0].(mcp.TextContent).Text, "accepted, waiting") {
		t.Fatalf("store: %v, %+v", err, res)
	}
	files, err := filepath.Glob(filepath.Join(spool.Dir(home), "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || bytes.Contains(data, []byte(secret)) {
		t.Errorf("the secret is on disk, or nothing is: %v", err)
	}
	var to receiver
	deliver(config.Config{Home: home}, &to, slog.New(slog.DiscardHandler))
	if len(to.stored) != 1 || to.stored[0].Project != "shop" || !strings.HasPrefix(to.stored[0].Text, "The token of the mirror is ") {
		t.Errorf("delivered %+v", to.stored)
	}
}
