package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/hook/session"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// sweptPerRound is how many sessions a round of the [Sweeper] looks after.
const sweptPerRound = 8

// Sweeper takes sessions' transcripts with a chat model. It runs in the
// daemon: a model takes seconds, and a session waits for its hooks. When a
// chat model is configured, hooks leave the transcripts to it. What it finds
// goes the same way, through the spool, with the same keys.
type Sweeper struct {
	Config   config.Config    // required
	Redactor memory.Redactor  // required
	Chat     extract.Chatter  // required; when it fails, the rules find what they can
	Now      func() time.Time // required

	// ProjectRedactor returns the redactor of a project's folder, which adds the
	// rules of its CLAUDE.md as the hooks' own does. Nil means Redactor for all.
	ProjectRedactor func(dir string) (memory.Redactor, error)
}

// leavesSweeps reports whether hooks leave transcripts to the daemon.
func leavesSweeps(cfg config.Config) bool { return cfg.Ollama.ChatModel != "" }

// Run sweeps now and every so often until ctx ends. An error does not end it;
// it is reported, and the round is tried again.
func (s *Sweeper) Run(ctx context.Context, every time.Duration, report func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			report(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep takes what is new in the transcripts of the sessions that were active
// last, and returns how much was worth keeping. One that cannot be read does
// not keep it from the others.
func (s *Sweeper) Sweep(ctx context.Context) (int, error) {
	sessions := session.Open(s.Config.Home)
	waiting, err := sessions.Find(sweptPerRound, hasMore)
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
	r := &run{
		guard: &guard{opts: Options{Now: s.Now}, started: s.Now()},
		in:    input{Session: state.Session, Transcript: state.Transcript, Event: "Sweep"},
		cfg:   s.Config, dir: state.Dir, project: state.Project, redactor: redactor,
		sessions: sessions, spool: spool.Open(s.Config.Home, redactor), chat: withoutSecrets(s.Chat, redactor),
		log: hooklog.Entry{At: s.Now().UTC(), Event: "Sweep", Session: state.Session, Project: state.Project},
	}
	info, err := os.Stat(state.Transcript)
	if err != nil {
		return 0, err
	}
	whole := state.Ended || s.Now().Sub(info.ModTime()) > idle
	keys, err := r.sweep(ctx, state.Session, state.Transcript, whole)
	if len(keys) > 0 {
		r.log.Saved = len(keys)
		err = errors.Join(err, sessions.Update(ctx, state.Session, func(st *session.State) error {
			st.Saved += len(keys)
			return nil
		}), r.record(memory.ActionExtract+"/"+unique(), memory.ActionExtract, nil, map[string]any{
			"event": "Sweep", "found": len(keys), "method": string(r.method),
		}))
	}
	if len(keys) > 0 || err != nil {
		r.finish(ctx, err)
	}
	return len(keys), err
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
// are out: the model may run on another machine, and logs what it is asked.
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
