package hook

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/untrusted"
	"github.com/mneme-memory/mneme/memory"
)

// The sources of a SessionStart that are not answered like a new session.
const (
	sourceResume  = "resume"
	sourceCompact = "compact"
)

// What may be done after the answer, while the session waits for the process
// to end.
const (
	afterStart   = 300 * time.Millisecond
	deliverStart = 200 * time.Millisecond
)

// sessionStart puts in front of the model what the memory holds about the work
// at hand.
func (r *run) sessionStart(ctx context.Context) error {
	started := r.autostart(ctx)
	defer func() {
		select { // it has the time of the session's own work, and no more
		case <-started:
		case <-ctx.Done():
		}
	}()
	before, _, err := r.sessions.Get(r.in.Session)
	if err != nil {
		return err
	}
	// What was injected is still in a conversation that is resumed.
	if r.in.Source == sourceResume && len(before.Injected) > 0 {
		r.log.Outcome = hooklog.Nothing
		return r.enter(ctx, framed{})
	}
	f, held, recallErr := r.startNotes(ctx, before)
	a := contextFor(r.in.Event, f.text)
	a.SystemMessage = lines(held, r.privacyText(), broughtText(f.shown))
	if r.in.Source == sourceCompact && before.Saved > 0 {
		a.SystemMessage = reviewText(before.Saved)
		r.log.Saved = before.Saved
	}
	if memory.CodeOf(recallErr) == memory.Refused {
		a.SystemMessage = r.refusedText(recallErr)
	}
	if err := r.say(a); err != nil {
		return err
	}
	if err := r.enter(ctx, f); err != nil {
		return err
	}
	if err := r.sessions.Clean(); err != nil {
		return err
	}
	if recallErr != nil {
		return recallErr // whoever did not answer will take nothing either
	}
	return r.tidy(ctx)
}

// lines joins what is not empty, one a line.
func lines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

// privacyText tells the user which privacy rules are not followed, because they are broken or
// not the project's to make. It is told when a session begins and not in its middle.
func (r *run) privacyText() string {
	if r.opts.PrivacyWarnings == nil || r.in.Source == sourceCompact || r.in.Source == sourceResume {
		return ""
	}
	warnings := r.opts.PrivacyWarnings(r.opts.Env("HOME"), r.dir)
	if len(warnings) == 0 {
		return ""
	}
	text := "mneme leaves out a privacy rule: " + memory.Clip(strings.Join(strings.Fields(untrusted.Text(warnings[0])), " "), 300)
	if more := len(warnings) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more: mneme doctor names them)", more)
	}
	return text
}

// broughtText tells the user in one line what was put in front of the model: how many notes
// of which type.
func broughtText(shown []memory.Hit) string {
	if len(shown) == 0 {
		return ""
	}
	count := make(map[string]int)
	for _, h := range shown {
		count[untrusted.Text(h.Type)]++
	}
	var parts []string
	for _, typ := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, plural(count[typ], typ))
	}
	return "mneme brought " + plural(len(shown), "memory") + " to this session: " + strings.Join(parts, ", ")
}

// plural returns a number with its noun, such as "2 memories".
func plural(n int, noun string) string {
	switch stem, ends := strings.CutSuffix(noun, "y"); {
	case n == 1:
		return "1 " + noun
	case ends:
		return fmt.Sprintf("%d %sies", n, stem)
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}

// refusedText tells the user what only a person can mend. What is stored meanwhile
// waits until then.
func (r *run) refusedText(err error) string {
	text, _ := r.redactor.Redact(memory.PlainText(fmt.Sprintf("mneme remembers, and cannot recall: %v; %s", err, memory.HintOf(err))))
	return text
}

// autostart starts the daemon beside all else; the channel closes when it is
// done.
func (r *run) autostart(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	if r.opts.Autostart == nil || r.in.Event != sessionStart {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // the session goes on without a daemon
		// Whether it could be started is told by "mneme status" and doctor.
		_ = r.opts.Autostart(ctx, r.cfg)
	}()
	return done
}

// startNotes recalls what matters to the project now, and meanwhile asks what
// waits for a yes of the user.
func (r *run) startNotes(ctx context.Context, before session.State) (notes framed, held string, err error) {
	set := r.cfg.Hooks.SessionStart
	if set.Limit == 0 {
		return framed{}, "", nil
	}
	f, err := r.lookAround(ctx)
	if err != nil {
		return framed{}, "", err
	}
	queries := f.queries()
	if r.in.Source == sourceCompact && before.Topic != "" {
		queries = append(queries, before.Topic)
	}
	waits := make(chan string, 1)
	go func(client Client) { // that lookAround has connected
		defer close(waits)
		defer func() { _ = recover() }() // the session goes on without it
		waits <- r.held(ctx, client)
	}(r.client)
	hits, err := r.recallWork(ctx, queries, set.Limit)
	held = <-waits
	if err != nil {
		return framed{}, held, err
	}
	if r.in.Source == sourceCompact {
		hits = append(hits, proven(before, hits, set.Limit)...)
	}
	return frame(startHeading(r.project), hits, set.Tokens, r.leftOpen()...), held, nil
}

// heldTimeout bounds the question for what waits: the recall beside it takes
// about as long, and the session waits for both.
const heldTimeout = 300 * time.Millisecond

// held says in one line what waits for a yes of the user, at the start of a
// session and not in the middle. Who does not answer in time is asked again by
// the next session.
func (r *run) held(ctx context.Context, client Client) string {
	if client == nil || r.in.Source == sourceCompact || r.in.Source == sourceResume {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, heldTimeout)
	defer cancel()
	held, err := client.Held(ctx)
	if err != nil || len(held) == 0 {
		return ""
	}
	text, hint := memory.HeldText(held)
	return untrusted.Text("mneme: " + text + ": " + hint)
}

// recallWork finds what is pinned, and what fits the work at hand. Where nothing is known of the
// work only the first is left: the project's name, which is asked for then, is no evidence.
func (r *run) recallWork(ctx context.Context, queries []string, limit int) ([]memory.Hit, error) {
	bar := r.cfg.Hooks.SessionStart.MinScore
	if len(queries) == 0 {
		queries, bar = []string{path.Base(r.project)}, 1
	}
	return r.recall(ctx, queries, memory.Query{Work: true, Pinned: true, Limit: limit, MinScore: &bar})
}

// lookAround connects and looks at the repository: side by side when somebody
// is likely to be there, else git is asked for nothing.
func (r *run) lookAround(ctx context.Context) (facts, error) {
	var f facts
	var err error
	if _, away := homestate.TemporalAddress(r.cfg); away == nil {
		all(
			func() { _, err = r.connect(ctx) },
			func() { f = repository(ctx, r.dir, r.opts.Env) },
		)
		return f, err
	}
	if _, err = r.connect(ctx); err != nil {
		return f, err
	}
	return repository(ctx, r.dir, r.opts.Env), nil
}

// proven returns what the session was shown before and made use of, so that a
// compaction does not lose it.
func proven(before session.State, but []memory.Hit, most int) []memory.Hit {
	var out []memory.Hit
	for _, i := range slices.Backward(before.Injected) {
		known := slices.ContainsFunc(but, func(h memory.Hit) bool { return h.ID == i.ID })
		if i.Used && !known && len(out) < most {
			out = append(out, memory.Hit{ID: i.ID, Text: i.Text, Type: i.Type, Project: i.Project, CreatedAt: i.CreatedAt})
		}
	}
	return out
}

// enter notes that the session lives, and the memories shown to it.
func (r *run) enter(ctx context.Context, f framed) error {
	if len(f.shown) == 0 && r.log.Outcome == hooklog.OK {
		r.log.Outcome = hooklog.Nothing
	}
	err := r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Project, s.Dir, s.Transcript, s.Ended = r.project, r.dir, r.in.Transcript, false
		if r.in.Source == sourceCompact {
			s.Saved = 0
		}
		s.Show(r.injections(f)...)
		return nil
	})
	if err != nil || len(f.shown) == 0 {
		return err
	}
	return r.showed(f)
}

// tidy uses what time is left for what earlier hooks left undone.
func (r *run) tidy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, afterStart)
	defer cancel()
	if err := r.sweepOthers(ctx); err != nil {
		return err
	}
	_, err := r.deliver(ctx, deliverStart, r.log.Spooled)
	return err
}

// The share of a session's budget that a subagent gets.
const (
	subagentLimit  = 3
	subagentTokens = 400
)

// subagentStart gives a subagent what its work may need: it has not seen what
// the session was shown.
func (r *run) subagentStart(ctx context.Context) error {
	set := r.cfg.Hooks.SessionStart
	if set.Limit == 0 {
		return r.nothing(false)
	}
	about, err := r.lookAround(ctx)
	if err != nil {
		return err
	}
	queries := about.queries()
	if state, ok, err := r.sessions.Get(r.in.Session); err == nil && ok && state.Topic != "" {
		queries = append(queries, state.Topic)
	}
	hits, err := r.recallWork(ctx, queries, min(subagentLimit, set.Limit))
	if err != nil {
		return err
	}
	f := frame(subagentHeading, hits, min(subagentTokens, set.Tokens))
	if f.text == "" {
		return r.nothing(false)
	}
	if err := r.say(contextFor(r.in.Event, f.text)); err != nil {
		return err
	}
	return r.showed(f)
}
