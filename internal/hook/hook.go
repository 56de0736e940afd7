package hook

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// Client is what hooks ask of the workflows' client.
type Client interface {
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
	Duplicate(ctx context.Context, in memory.StoreInput) (memory.DuplicateResult, error)
	Held(ctx context.Context) ([]memory.HeldPrune, error)
	spool.Receiver
	Close()
}

// Options are the world around a hook. All fields but those that say otherwise
// are required.
type Options struct {
	Args    []string // without the program's name; the first is the event, as [Argument] writes it
	Env     func(string) string
	Stdin   io.Reader
	Stdout  io.Writer
	Signals <-chan os.Signal // that ask to end; may be nil

	// Config returns the settings in force; with an error, those that are good.
	Config func() (config.Config, error)
	// Redactor returns the redactor of a user's home folder and a project's folder.
	Redactor func(home, dir string) (memory.Redactor, error)
	// PrivacyWarnings says in a line each which privacy rules of the same folders are left out; nil means none.
	PrivacyWarnings func(home, dir string) []string
	// Dial connects to mneme, or fails at once when it does not run.
	Dial func(ctx context.Context, cfg config.Config, r memory.Redactor) (Client, error)
	// Project names the project of a folder.
	Project func(dir string) string
	// Autostart starts the daemon in the background if it should and does not run,
	// and does not wait for it. Nil means that nothing is started.
	Autostart func(ctx context.Context, cfg config.Config) error
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Deadline bounds the hook; zero means that of the event.
	Deadline time.Duration
	// Before is called before an event is handled; nil means nothing. Tests panic in it.
	Before func(event string)
}

// settle is how long before the deadline the work is asked to end.
const settle = 150 * time.Millisecond

// deadline is how long an event may take. Claude Code's own time-outs are
// longer: some seconds as the plugin sets them, 1.5 s for SessionEnd without.
func deadline(event string) time.Duration {
	switch event {
	case preCompact:
		return 4 * time.Second
	case sessionStart, stop:
		return 2 * time.Second
	case preToolUse, postToolUseFailure:
		return 1500 * time.Millisecond
	case sessionEnd:
		return 1300 * time.Millisecond
	default:
		return time.Second
	}
}

// crashed is the argument, before the event's, with which the shell around a hook
// starts the program once more when it has crashed: nobody else could tell the log.
const crashed = "crashed"

// Main answers one event and returns the exit code, which is always 0.
func Main(opts Options) int {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	m := &guard{opts: opts, started: opts.Now(), done: make(chan struct{})}
	if first(opts.Args) == crashed {
		m.event = eventOf(first(opts.Args[1:]))
		m.log(hooklog.Failed, "the program crashed")
		return 0
	}
	m.event = eventOf(first(opts.Args))
	limit := opts.Deadline
	if limit == 0 {
		limit = deadline(m.event)
	}
	// A hook is a process: its context ends with it.
	ctx, cancel := context.WithTimeout(context.Background(), max(limit-settle, limit/2))
	defer cancel()
	go m.work(ctx)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-m.done:
	case <-timer.C:
		m.abandon("the deadline came first")
	case <-opts.Signals:
		cancel()
		select { // what is at hand may be finished
		case <-m.done:
		case <-time.After(settle):
			m.abandon("asked to end")
		}
	}
	return 0
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// guard keeps a hook from doing harm.
type guard struct {
	opts    Options
	event   string // of the command line
	started time.Time
	done    chan struct{}
	spoken  atomic.Int32 // one of the states below
	who     atomic.Pointer[identity]
}

// identity is what is known of a hook when it is abandoned.
type identity struct{ home, event, session string }

// The states of the answer: it is printed once, and not after the deadline.
const (
	silent = iota
	speaking
	closed
)

// work handles the event; a panic ends in the log.
func (m *guard) work(ctx context.Context) {
	defer close(m.done)
	defer func() {
		if p := recover(); p != nil {
			// The value may hold text of the user: only its type is told.
			m.report(hooklog.Failed, fmt.Sprintf("panic: %T", p))
		}
	}()
	m.handle(ctx)
}

// print writes the answer, unless it is too late.
func (m *guard) print(out []byte) error {
	if len(out) == 0 || !m.spoken.CompareAndSwap(silent, speaking) {
		return nil
	}
	if _, err := m.opts.Stdout.Write(out); err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	return nil
}

// abandon gives up on what hangs.
func (m *guard) abandon(why string) {
	m.spoken.CompareAndSwap(silent, closed)
	m.log(hooklog.Late, why)
}

// log writes a hook's last line, if that goes at once: what hangs may be the disk.
func (m *guard) log(outcome, detail string) {
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		defer func() { _ = recover() }() // the hook is over: there is nobody to tell
		m.report(outcome, detail)
	}()
	select {
	case <-logged:
	case <-time.After(settle):
	}
}

// report writes the line of a hook that did not come to its own end.
func (m *guard) report(outcome, detail string) {
	who := m.who.Load()
	if who == nil {
		who = &identity{home: m.home(), event: m.event}
	}
	if who.home == "" {
		return
	}
	// Nobody is left to be told that the log cannot be written.
	_ = hooklog.Append(who.home, hooklog.Entry{
		At: m.started.UTC(), Event: who.event, Session: who.session,
		TookMillis: m.took(), Outcome: outcome, Detail: detail,
	})
}

func (m *guard) took() float64 {
	return float64(m.opts.Now().Sub(m.started).Microseconds()) / 1000
}

func (m *guard) home() string {
	cfg, _ := m.opts.Config() // the folder is known also when other settings are bad
	return cfg.Home
}

// handle reads the event and hands it on.
func (m *guard) handle(ctx context.Context) {
	in, err := parse(m.opts.Stdin)
	if err != nil {
		m.report(hooklog.Failed, err.Error())
		return
	}
	if m.opts.Before != nil {
		m.opts.Before(in.Event)
	}
	if eventOf(in.Event) == "" {
		return // an event that we do not answer, or a later client's
	}
	r, err := m.prepare(in)
	if err != nil {
		m.report(hooklog.Failed, "no settings or no redactor")
		return
	}
	defer r.close()
	err = r.handle(ctx)
	r.finish(ctx, err)
}

// prepare gathers what every event needs. Nothing here waits for anything.
func (m *guard) prepare(in input) (*run, error) {
	cfg, cfgErr := m.opts.Config()
	if cfg.Home == "" {
		return nil, cfgErr
	}
	dir := m.opts.Env("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir = "."
	}
	redactor, err := m.opts.Redactor(m.opts.Env("HOME"), dir)
	if err != nil {
		return nil, err
	}
	if err := config.EnsureHome(cfg.Home); err != nil {
		return nil, err
	}
	r := &run{
		guard: m, in: in, cfg: cfg, dir: dir, redactor: redactor,
		sessions: session.Open(cfg.Home), spool: spool.Open(cfg.Home, redactor),
	}
	if r.project = cfg.Project; r.project == "" {
		r.project = m.opts.Project(dir)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		r.dir = abs
	}
	r.log = hooklog.Entry{At: m.started.UTC(), Event: in.Event, Session: in.Session, Outcome: hooklog.OK}
	if cfgErr != nil {
		r.log.Detail = `some settings are bad: see "mneme config"`
	}
	m.who.Store(&identity{cfg.Home, in.Event, in.Session})
	return r, nil
}
