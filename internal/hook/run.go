package hook

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// run is the handling of one event.
type run struct {
	*guard
	in        input
	cfg       config.Config
	dir       string // that Claude Code was started in
	project   string
	redactor  memory.Redactor
	sessions  *session.Store
	spool     *spool.Spool
	log       hooklog.Entry
	quiet     bool // the event was not worth a line
	suggested bool // the model was asked to keep something

	client  Client // once connected
	dialErr error
}

func (r *run) handle(ctx context.Context) error {
	if r.in.Event != postToolUse { // which mostly has nothing to do, and no time for it
		r.cleanProject()
	}
	switch r.in.Event {
	case sessionStart:
		return r.sessionStart(ctx)
	case subagentStart:
		return r.subagentStart(ctx)
	case userPromptSubmit:
		return r.prompt(ctx)
	case preToolUse:
		return r.beforeTool(ctx)
	case postToolUse:
		return r.afterTool(ctx)
	case postToolUseFailure:
		return r.afterFailure(ctx)
	case preCompact:
		return r.beforeCompact(ctx)
	case stop:
		return r.afterTurn(ctx)
	case sessionEnd:
		return r.afterSession(ctx)
	default:
		return nil
	}
}

// cleanProject takes secrets out of the project's name before it is used. The
// first use of the redactor takes some milliseconds.
func (r *run) cleanProject() {
	r.project, _ = r.redactor.Redact(r.project)
	r.log.Project = r.project
}

func (r *run) close() {
	if r.client != nil {
		r.client.Close()
	}
}

// say prints the answer.
func (r *run) say(a answer) error {
	out, err := a.bytes()
	if err != nil {
		return err
	}
	return r.print(out)
}

// finish writes the line in the log.
func (r *run) finish(ctx context.Context, err error) {
	switch {
	case err == nil:
	case memory.CodeOf(err) == memory.Unavailable || errors.Is(err, context.Canceled) || ctx.Err() != nil:
		r.log.Outcome = hooklog.Down
		r.note("mneme did not answer")
	default:
		text, _ := r.redactor.Redact(memory.PlainText(err.Error()))
		r.log.Outcome = hooklog.Failed
		r.note(text)
	}
	if r.quiet && r.log.Outcome == hooklog.OK {
		return
	}
	r.log.TookMillis = r.took()
	// Nobody is left to be told that the log cannot be written.
	_ = hooklog.Append(r.cfg.Home, r.log)
}

// note adds to the line's detail.
func (r *run) note(text string) {
	r.log.Detail = strings.TrimPrefix(r.log.Detail+"; "+text, "; ")
}

// nothing notes an event without work to do; quiet leaves it out of the log,
// for events that come by the hundred.
func (r *run) nothing(quiet bool) error {
	r.log.Outcome, r.quiet = hooklog.Nothing, quiet
	if quiet {
		r.log.Outcome = hooklog.OK
	}
	return nil
}

// keep puts a request in the spool. One that cannot be kept is told in the log.
func (r *run) keep(e spool.Entry) error {
	e.At = r.opts.Now().UTC()
	if err := r.spool.Add(e); err != nil {
		return err
	}
	r.log.Spooled++
	return nil
}

// record keeps an event. An event that is sent twice is recorded once, by its
// id.
func (r *run) record(id, action string, ids []string, details map[string]any) error {
	return r.keep(spool.Entry{Key: "event/" + id, Events: []memory.Event{{
		ID: id, Action: action, At: r.opts.Now().UTC(), Project: r.project, Session: r.in.Session, User: r.cfg.User,
		MemoryIDs: ids, Details: details,
	}}})
}

// deliver drains the spool for at most a time. If mneme does not answer, that
// is no error: the daemon or a later hook goes on. Nothing is done when no more
// than own entries wait, those that this hook added and that need no answer. A
// daemon that runs looks after the spool itself: then it is about answered
// alone, the keys of the entries whose answers are wanted.
func (r *run) deliver(ctx context.Context, most time.Duration, own int, answered ...string) (spool.Report, error) {
	_, ready, err := homestate.Running(r.cfg.Home)
	if err != nil || !ready {
		answered = nil // whoever does not know drains all
	} else if len(answered) == 0 {
		return spool.Report{}, nil
	}
	state, err := r.spool.State()
	if err != nil || state.Entries <= own {
		return spool.Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	client, err := r.connect(ctx)
	if err != nil {
		return spool.Report{}, nil //nolint:nilerr // the entries are safe where they are
	}
	report, err := r.spool.Drain(ctx, client, answered...)
	if report.Waiting > 0 && report.Delivered == 0 && most >= time.Second { // less proves nothing
		r.waited(ctx, context.DeadlineExceeded)
	}
	r.log.Delivered += report.Delivered
	r.log.Quarantine += report.PutAside
	return report, err
}
