// Command mneme-hook answers one of Claude Code's hook events. See package
// hook.
//
//	mneme-hook session-start < event.json
//
// The event comes on stdin and the answer, if there is one, goes to stdout.
// The exit status is always 0, because Claude Code reads others as "block".
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/mneme-memory/mneme/internal/hook"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// A closed stdout must be an error that can be handled, not the end. Last,
	// because a test sees by it that the others are in place.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(hook.Main(options(signals)))
}
