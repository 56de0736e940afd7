package hook

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/sweep"
	"github.com/mneme-memory/mneme/internal/untrusted"
	"github.com/mneme-memory/mneme/memory"
)

const (
	// openFor is how long a later session is told of what an earlier one left open.
	openFor = 14 * 24 * time.Hour
	// maxOpenCommand is how much of a command is told of, in bytes.
	maxOpenCommand = 120
	// maxPointsTold is how much is told of what is still to be done, in bytes.
	maxPointsTold = 500
)

// checking matches commands that test, build or deploy something: when such a command fails, work is
// left to be done. The failure of any other command, such as a search, leaves no work behind.
var checking = lexis.OneOf(`(?i)\b(?:`, lexis.Table{
	{`test`, "test"},
	{`tests`, "tests"},
	{`check`, "check"},
	{`build`, "build"},
	{`lint`, "lint"},
	{`vet`, "vet"},
	{`clippy`, "clippy"},
	{`compile`, "compile"},
	{`tsc`, "tsc"},
	{`mypy`, "mypy"},
	{`pytest`, "pytest"},
	{`jest`, "jest"},
	{`vitest`, "vitest"},
	{`rspec`, "rspec"},
	{`phpunit`, "phpunit"},
	{`ctest`, "ctest"},
	{`make`, "make"},
	{`migrate`, "migrate"},
	{`deploy`, "deploy"},
	{`apply`, "apply"},
}, `)\b`)

// unfinished returns the last error of a session that did not go away, nil if there is none: a
// check that failed, and of whose kind none has passed since.
func unfinished(state session.State) *session.Unfinished {
	if state.Ended {
		return state.Open
	}
	for _, f := range slices.Backward(state.Failures) {
		if f.Tool == bash && f.Error != "" && checking.Match(f.Command) && !shell.ReadsOnly(shell.MainKind(f.Command)) {
			return &session.Unfinished{Command: f.Command, Error: f.Error, At: f.At}
		}
	}
	return nil
}

// leftOpen says, a line each, what the project's sessions left open: the check that failed when the
// last one ended, and what is still to be done.
func (r *run) leftOpen() []string {
	if r.in.Source == sourceCompact || r.in.Source == sourceResume {
		return nil
	}
	return append(r.openCheck(), r.openPoints()...)
}

// openCheck says what the last session ended with, nothing if it left nothing, if that is long ago, or
// if somebody is still at it. A later session that did anything at all counts as having taken it up.
func (r *run) openCheck() []string {
	found, err := r.sessions.Find(1, func(s session.State) bool {
		worked := !s.Checkpoint.IsZero() || len(s.Failures) > 0 || s.Open != nil
		return s.Project == r.project && s.Session != r.in.Session && worked
	})
	if err != nil || len(found) == 0 || r.inUse(found[0]) {
		return nil // a reminder is not worth an error
	}
	open := unfinished(found[0])
	if open == nil || r.opts.Now().Sub(open.At) > openFor {
		return nil
	}
	return []string{fmt.Sprintf("[left open, %s] The last session ended while `%s` failed: %s",
		open.At.UTC().Format(time.DateOnly), told(open.Command, maxOpenCommand), told(open.Error, maxTold))}
}

// openPoints returns the open tasks that the last session with such tasks named. They are shown until a
// later session completes or replaces them.
func (r *run) openPoints() []string {
	found, err := r.sessions.Find(1, func(s session.State) bool {
		return s.Project == r.project && s.Session != r.in.Session && s.Points != nil
	})
	if err != nil || len(found) == 0 || r.inUse(found[0]) {
		return nil
	}
	points := found[0].Points
	if len(points.Items) == 0 || r.opts.Now().Sub(points.At) > openFor {
		return nil
	}
	return []string{fmt.Sprintf("[still to do, %s] %s", points.At.UTC().Format(time.DateOnly),
		told(strings.Join(points.Items, "; "), maxPointsTold))}
}

// told makes one short line of what a session kept.
func told(text string, most int) string {
	return memory.Clip(strings.Join(strings.Fields(untrusted.Text(text)), " "), most)
}

// noteOpen keeps what a session that ends leaves open; a start of the next one tells it.
func (r *run) noteOpen(ctx context.Context) error {
	state, ok, err := r.sessions.Get(r.in.Session)
	if err != nil || !ok {
		return err
	}
	open := unfinished(state)
	if open == nil && state.Open == nil {
		return nil
	}
	return r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Open = open
		return nil
	})
}

// inUse reports whether somebody may be working in a session.
func (r *run) inUse(s session.State) bool {
	if s.Ended {
		return false
	}
	info, err := os.Stat(s.Transcript)
	return err == nil && r.opts.Now().Sub(info.ModTime()) <= sweep.Idle
}
