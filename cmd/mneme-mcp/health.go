package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/health"
	"github.com/mneme-memory/mneme/internal/mcpserver"
	"github.com/mneme-memory/mneme/memory"
)

// usualAddress is where the documents have the server listen.
const usualAddress = "127.0.0.1:7433"

// healthTimeout bounds the question to the server.
const healthTimeout = 4 * time.Second

// tellHealth asks the server that runs here, with its token, and Temporal. It returns the exit
// code.
func tellHealth(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mneme-mcp health", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("http", usualAddress, "the `host:port` that the server listens on")
	asJSON := flags.Bool("json", false, "write JSON")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		if err == nil {
			fmt.Fprintf(stderr, "mneme-mcp: error: health takes no argument %q\n", flags.Arg(0))
		}
		return health.Wrong
	}
	cfg, err := config.Load(config.Sources{Env: os.Getenv})
	if err != nil {
		fmt.Fprintf(stderr, "mneme-mcp: error: %v\nmneme-mcp: hint: %s\n", err, memory.HintOf(err))
		return health.Wrong
	}
	r := health.New()
	r.Needs("server", "answers on http://"+*addr+mcpserver.Path, ping(ctx, *addr))
	client, err := dial.Open(ctx, cfg, nil) // it sends nothing that would have to be redacted
	if err == nil {
		client.Close()
	}
	r.Needs("Temporal", "a worker has served here", err)
	if err := r.Write(stdout, *asJSON); err != nil {
		fmt.Fprintf(stderr, "mneme-mcp: error: %v\n", err)
		return health.Unhealthy
	}
	return r.Code()
}

// ping asks a server of this machine for the answer to MCP's ping.
func ping(ctx context.Context, addr string) error {
	const hint = "see its log; it must have been started with --http, and with the same token"
	token, _, err := httpToken()
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		// The token would go out into the network, in the clear.
		return memory.Errorf(memory.Invalid, "write it as "+usualAddress, "%q is no address of this machine's loopback", addr)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+mcpserver.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	direct := &http.Client{Transport: &http.Transport{Proxy: nil}} // never by way of a proxy
	resp, err := direct.Do(req)
	if err != nil {
		return memory.Down("MCP over HTTP", hint, err)
	}
	defer resp.Body.Close()
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(resp.Body, most))
	var answer struct {
		Result json.RawMessage `json:"result"`
	}
	switch {
	case err != nil:
		return memory.Down("MCP over HTTP", hint, err)
	case resp.StatusCode == http.StatusUnauthorized:
		return memory.Refusal("MCP over HTTP", hint, fmt.Errorf("the server at %s wants another token", addr))
	case resp.StatusCode != http.StatusOK:
		return memory.Down("MCP over HTTP", hint, fmt.Errorf("the server at %s answered %s", addr, resp.Status))
	case json.Unmarshal(text, &answer) != nil || answer.Result == nil:
		return memory.Down("MCP over HTTP", hint, fmt.Errorf("what listens at %s is no MCP server", addr))
	}
	return nil
}
