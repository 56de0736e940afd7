// Command mneme is the command line and, with "mneme up", the daemon.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/mneme-memory/mneme/internal/cli"
)

// version is set by the linker.
var version = "devel"

func main() {
	// What we have to say goes through loggers that are handed in. Libraries have nothing
	// else than the default one, and would talk between a command's lines.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := cli.Main(ctx, cli.OS(), deps())
	stop()
	os.Exit(code)
}
