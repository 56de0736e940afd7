package temporal

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// fatalError carries what Temporal gave to Fatal from the logger to runServer.
type fatalError struct{ msg string }

func (e fatalError) Error() string { return e.msg }

// slogLogger passes on what Temporal logs at Warn and above. Its debug and info lines are
// an operator's diary of a cluster; here they would drown the daemon's own.
type slogLogger struct {
	to    *slog.Logger
	muted *atomic.Bool // set when the server is told to stop
}

// newLogger hands Temporal's lines to the given logger until mute is called. A stopping
// server warns about every connection between its own services that it has just closed.
func newLogger(to *slog.Logger) (logger slogLogger, mute func()) {
	muted := &atomic.Bool{}
	return slogLogger{to.With("service", "temporal"), muted}, func() { muted.Store(true) }
}

func (l slogLogger) Debug(string, ...tag.Tag) {}

func (l slogLogger) Info(string, ...tag.Tag) {}

func (l slogLogger) Warn(msg string, tags ...tag.Tag) {
	if strings.HasPrefix(msg, "HTTP API port has not been set") {
		return // on purpose: see service
	}
	l.log(slog.LevelWarn, msg, tags)
}

func (l slogLogger) Error(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }

// DPanic panics in Temporal's development builds only; here it is an error line.
func (l slogLogger) DPanic(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }

// Panic must not return, says the interface.
func (l slogLogger) Panic(msg string, tags ...tag.Tag) {
	l.log(slog.LevelError, msg, tags)
	panic(describe(msg, tags))
}

// Fatal must not return either. os.Exit would take the whole daemon down without its
// deferred clean-up; a panic can be turned into an error by whoever starts the server.
func (l slogLogger) Fatal(msg string, tags ...tag.Tag) {
	l.log(slog.LevelError, msg, tags)
	panic(fatalError{describe(msg, tags)})
}

// With keeps Temporal from wrapping every line in its own slower prepending logger.
func (l slogLogger) With(tags ...tag.Tag) log.Logger {
	return slogLogger{slog.New(l.to.Handler().WithAttrs(attrs(tags))), l.muted}
}

func (l slogLogger) log(level slog.Level, msg string, tags []tag.Tag) {
	if l.muted.Load() {
		return
	}
	// Temporal's logger interface has no context to hand on.
	l.to.LogAttrs(context.Background(), level, msg, attrs(tags)...)
}

func attrs(tags []tag.Tag) []slog.Attr {
	out := make([]slog.Attr, 0, len(tags))
	for _, t := range tags {
		out = append(out, slog.Any(t.Key(), t.Value()))
	}
	return out
}

func describe(msg string, tags []tag.Tag) string {
	for _, t := range tags {
		if t.Key() == "error" {
			return fmt.Sprintf("%s: %v", msg, t.Value())
		}
	}
	return msg
}
