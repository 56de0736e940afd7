package sweep

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

const (
	// Every is how often a [Sweeper] looks at the sessions' transcripts.
	Every = 20 * time.Second

	perRound = 8         // sessions that a round of the Sweeper looks after
	away     = time.Hour // after which a Sweeper that did no round is not waited for
	event    = "Sweep"   // the sweeper's name in the hooks' log
)

// Attended reports whether hooks leave the transcripts of a home to a [Sweeper]:
// a chat model is set, and a Sweeper was at work within the last hour. Where
// nobody runs one, hooks sweep by rules.
func Attended(cfg config.Config, now time.Time) bool {
	if cfg.Ollama.ChatModel == "" {
		return false
	}
	at := session.Open(cfg.Home).SweeperSeen()
	return !at.IsZero() && now.Sub(at) < away
}

// Sweeper takes sessions' transcripts with a chat model, in the background.
type Sweeper struct {
	Config   config.Config    // required
	Redactor memory.Redactor  // required
	Chat     extract.Chatter  // required; when it fails, the rules find what they can
	Now      func() time.Time // required

	// ProjectRedactor returns the redactor of a project's folder, which adds the
	// rules of its CLAUDE.md as the hooks' own does. Nil means Redactor for all.
	ProjectRedactor func(dir string) (memory.Redactor, error)
}

// Run sweeps now and every so often until ctx ends. An error does not end it;
// it is reported, and the round is tried again.
func (s *Sweeper) Run(ctx context.Context, every time.Duration, report func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if _, err := s.Round(ctx); err != nil && ctx.Err() == nil {
			report(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Round takes what is new in the transcripts of the sessions that were active
// last, and returns how much was worth keeping. One that cannot be read does
// not keep it from the others.
func (s *Sweeper) Round(ctx context.Context) (int, error) {
	sessions := session.Open(s.Config.Home)
	if err := sessions.NoteSweeper(s.Now()); err != nil {
		return 0, err
	}
	waiting, err := sessions.Find(perRound, hasMore)
	if err != nil {
		return 0, err
	}
	found := 0
	var failed []error
	for _, state := range waiting {
		n, err := s.one(ctx, sessions, state)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // the client removed it since
			failed = append(failed, err)
		}
		found += n
	}
	return found, errors.Join(failed...)
}

// one takes one session's transcript. A turn that is not over is left until it
// is, unless the session ended or nobody works in it.
func (s *Sweeper) one(ctx context.Context, sessions *session.Store, state session.State) (int, error) {
	redactor, err := s.redactorOf(state.Dir)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(state.Transcript)
	if err != nil {
		return 0, err
	}
	started := s.Now()
	sweep := &Sweep{
		Sessions: sessions, Spool: spool.Open(s.Config.Home, redactor), Redactor: redactor, Now: s.Now,
		User: s.Config.User, Most: s.Config.Hooks.ExtractMax, Chat: withoutSecrets(s.Chat, redactor),
	}
	whole := state.Ended || started.Sub(info.ModTime()) > Idle
	of := Source{Session: state.Session, Transcript: state.Transcript, Project: state.Project, Dir: state.Dir}
	taken, err := sweep.Take(ctx, of, whole)
	if len(taken.Keys) > 0 {
		err = errors.Join(err, s.saved(ctx, sweep, state, taken))
	}
	if len(taken.Keys) > 0 || err != nil && ctx.Err() == nil {
		s.log(state, taken, started, redactor, err)
	}
	return len(taken.Keys), err
}

// saved counts what was found for the next start of the session, and notes it in the audit.
func (s *Sweeper) saved(ctx context.Context, sweep *Sweep, state session.State, taken Taken) error {
	id := memory.ActionExtract + "/" + rand.Text()
	return errors.Join(
		sweep.Sessions.Update(ctx, state.Session, func(st *session.State) error {
			st.Saved += len(taken.Keys)
			return nil
		}),
		sweep.Spool.Add(spool.Entry{Key: "event/" + id, At: s.Now().UTC(), Events: []memory.Event{{
			ID: id, Action: memory.ActionExtract, At: s.Now().UTC(), Project: state.Project, Session: state.Session, User: s.Config.User,
			Details: map[string]any{"event": event, "found": len(taken.Keys), "method": string(taken.Method)},
		}}}),
	)
}

// log writes the line of one sweep into the hooks' log.
func (s *Sweeper) log(state session.State, taken Taken, started time.Time, redactor memory.Redactor, err error) {
	line := hooklog.Entry{
		At: started.UTC(), Event: event, Session: state.Session, Project: state.Project, Outcome: hooklog.OK,
		Extracted: len(taken.Keys), Saved: len(taken.Keys), Spooled: len(taken.Keys),
		TookMillis: float64(s.Now().Sub(started).Microseconds()) / 1000,
	}
	if err != nil {
		text, _ := redactor.Redact(memory.PlainText(err.Error()))
		line.Outcome, taken.Notes = hooklog.Failed, append(taken.Notes, text)
	}
	line.Detail = strings.Join(taken.Notes, "; ")
	// Nobody is left to be told that the log cannot be written.
	_ = hooklog.Append(s.Config.Home, line)
}

func (s *Sweeper) redactorOf(dir string) (memory.Redactor, error) {
	if s.ProjectRedactor == nil || dir == "" {
		return s.Redactor, nil
	}
	redactor, err := s.ProjectRedactor(dir)
	if err != nil {
		return nil, fmt.Errorf("read privacy rules of %s: %w", dir, err)
	}
	return redactor, nil
}

// withoutSecrets asks a model about what is left of a session when its secrets
// are out: the model may run on another machine, and logs its prompts.
func withoutSecrets(chat extract.Chatter, redactor memory.Redactor) extract.Chatter {
	return func(ctx context.Context, system, user string, schema json.RawMessage) (string, error) {
		user, _ = redactor.Redact(user)
		return chat(ctx, system, user, schema)
	}
}

// hasMore reports whether a transcript holds what no sweep has seen.
func hasMore(s session.State) bool {
	info, err := os.Stat(s.Transcript)
	return err == nil && info.Mode().IsRegular() && info.Size() != s.SweptSize
}
