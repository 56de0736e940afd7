// Command mneme-worker does mneme's work without being a server of anything:
// it takes workflows from Temporal and talks to PostgreSQL, Qdrant and Ollama
// at the addresses it is given. Start as many as the work needs, here or on
// other machines; one may be stopped or killed at any time.
//
//	mneme-worker                   work until it is told to stop
//	mneme-worker health [--json]   tell whether the worker of this machine works
//
// The settings are those of mneme: the environment
// (MNEME_TEMPORAL_ADDRESS, MNEME_POSTGRES_URL, MNEME_QDRANT_ADDRESS,
// MNEME_QDRANT_API_KEY, MNEME_OLLAMA_URL, MNEME_EMBED_MODEL) or config.toml.
//
// It exits with 0 when it was told to stop (SIGTERM, interrupt), 2 when a
// setting is missing or wrong, and 1 when it cannot work with what is there.
// A part that is down is waited for. Health exits with 0 if the worker works and Temporal,
// PostgreSQL and Qdrant do, else with 1.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/mneme-memory/mneme/internal/health"
	"github.com/mneme-memory/mneme/memory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := start(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// start returns the exit status. The log goes to stderr; it names no texts,
// and addresses without their passwords.
func start(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	asJSON := slices.Equal(args, []string{"health", "--json"})
	if asked := asJSON || slices.Equal(args, []string{"health"}); len(args) > 0 && !asked {
		fmt.Fprintln(stderr, "mneme-worker: error: it takes no arguments but \"health\" and \"health --json\"\n"+
			"mneme-worker: hint: settings come from the environment; see \"mneme config\"")
		return 2
	}
	cfg, err := settings(env)
	if err != nil {
		return report(stderr, err, 2)
	}
	if len(args) > 0 {
		code, err := tellHealth(ctx, cfg, asJSON, stdout)
		if err != nil {
			return report(stderr, err, health.Unhealthy)
		}
		return code
	}
	if err := run(ctx, cfg, slog.New(slog.NewTextHandler(stderr, nil))); err != nil {
		return report(stderr, err, 1)
	}
	return 0
}

func report(stderr io.Writer, err error, code int) int {
	fmt.Fprintf(stderr, "mneme-worker: error: %v\n", err)
	if hint := memory.HintOf(err); hint != "" {
		fmt.Fprintf(stderr, "mneme-worker: hint: %s\n", hint)
	}
	return code
}
