// Command mneme-mcp is the MCP server that Claude Code starts for a session,
// over stdio, or that one starts by hand for many, over HTTP. See package
// mcpserver.
//
//	mneme-mcp                            serve stdin and stdout
//	mneme-mcp --http 127.0.0.1:7433      serve streamable HTTP at /mcp
//	mneme-mcp health [--http …] [--json] ask that server, and Temporal, whether all is well
//
// HTTP requests must bear a token: that of MNEME_MCP_TOKEN, else the one in
// keys/mcp-token of the data folder, which the first start makes. Messages of
// the program go to stderr, never to stdout.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homekey"
	"github.com/mneme-memory/mneme/internal/mcpserver"
	"github.com/mneme-memory/mneme/memory"
)

func main() { os.Exit(run()) }

// run returns the exit status: 0 done, 1 failed, 2 wrong usage.
func run() int {
	if len(os.Args) > 1 && os.Args[1] == "health" {
		return tellHealth(context.Background(), os.Args[2:], os.Stdout, os.Stderr)
	}
	flags := flag.NewFlagSet("mneme-mcp", flag.ContinueOnError)
	addr := flags.String("http", "", "serve streamable HTTP on this `host:port` instead of stdio")
	remote := flags.Bool("allow-remote", false, "permit an --http address that other machines can reach")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "mneme-mcp: error: there is no command %q\nmneme-mcp: hint: \"mneme-mcp --help\" lists the flags\n", flags.Arg(0))
		return 2
	}
	// The log names no arguments and no environment: both may hold secrets.
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	srv := mcpserver.New(options(log, *addr != ""))
	defer srv.Close()
	var err error
	if *addr == "" {
		err = srv.ServeStdio(mcpserver.WithParent(ctx), os.Stdin, os.Stdout)
	} else {
		err = serveHTTP(ctx, srv, *addr, *remote)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "mneme-mcp: error: %v\n", err)
		if hint := memory.HintOf(err); hint != "" {
			fmt.Fprintf(os.Stderr, "mneme-mcp: hint: %s\n", hint)
		}
		return 1
	}
	return 0
}

// serveHTTP serves whoever bears the token, until ctx ends.
func serveHTTP(ctx context.Context, srv *mcpserver.Server, addr string, remote bool) error {
	token, from, err := httpToken()
	if err != nil {
		return err
	}
	return srv.ServeHTTP(ctx, mcpserver.HTTPOptions{
		Addr: addr, AllowRemote: remote, Token: token,
		Listening: func(a net.Addr) {
			fmt.Fprintf(os.Stderr, "listening on http://%s%s\nclients send \"Authorization: Bearer TOKEN\" with the token of %s\n",
				a, mcpserver.Path, from)
		},
	})
}

// httpToken returns the token and where it comes from.
func httpToken() (token, from string, err error) {
	const variable = "MNEME_MCP_TOKEN"
	if token := os.Getenv(variable); token != "" {
		return token, variable, nil
	}
	cfg, err := config.Load(config.Sources{Env: os.Getenv})
	if err != nil {
		return "", "", err
	}
	return homekey.MCPToken(cfg.Home)
}
