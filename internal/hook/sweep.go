package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/sweep"
	"github.com/mneme-memory/mneme/memory"
)

const (
	othersPerStart = 3 // sessions that a SessionStart looks after
	deliverSwept   = 1500 * time.Millisecond
	leastDelivery  = 100 * time.Millisecond
)

// beforeCompact saves what the compaction may lose. Its output goes to the
// summariser, so it is a plain statement or empty.
func (r *run) beforeCompact(ctx context.Context) error {
	if err := r.sweepOwn(ctx, true); err != nil {
		return err
	}
	state, _, err := r.sessions.Get(r.in.Session)
	if err != nil || state.Saved == 0 {
		return err
	}
	return r.say(answer{plain: savedText(state.Saved)})
}

// afterTurn sees what the model answered, and takes the turns that are over.
func (r *run) afterTurn(ctx context.Context) error {
	state, ok, err := r.sessions.Get(r.in.Session)
	if err != nil {
		return err
	}
	if ok {
		if _, err := r.noteUse(ctx, state, r.in.LastMessage, "answer"); err != nil {
			return err
		}
	}
	return r.sweepOwn(ctx, false)
}

// afterSession takes the rest.
func (r *run) afterSession(ctx context.Context) error {
	if err := r.sweepOwn(ctx, true); err != nil {
		return err
	}
	if err := r.noteOpen(ctx); err != nil {
		return err
	}
	return r.sessions.Leave(ctx, r.in.Session)
}

// sweepOwn takes from the session's transcript what is new, and delivers.
func (r *run) sweepOwn(ctx context.Context, whole bool) error {
	if r.in.Session == "" || r.in.Transcript == "" {
		return r.nothing(false)
	}
	if sweep.Attended(r.cfg, r.opts.Now()) {
		return r.leaveSweep(ctx)
	}
	own := sweep.Source{Session: r.in.Session, Transcript: r.in.Transcript, Project: r.project, Dir: r.dir}
	keys, err := r.sweep(ctx, own, whole)
	if errors.Is(err, fs.ErrNotExist) { // normal: nothing was said yet, or nothing is kept
		err = nil
	}
	if err != nil {
		return err
	}
	if len(keys) == 0 && len(r.log.Used) == 0 {
		r.log.Outcome = hooklog.Nothing
	}
	return r.settle(ctx, r.in.Session, keys)
}

// leaveSweep lets the sweeper know where the transcript is.
func (r *run) leaveSweep(ctx context.Context) error {
	if err := r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Transcript = r.in.Transcript
		if s.Project == "" {
			s.Project, s.Dir = r.project, r.dir
		}
		return nil
	}); err != nil {
		return err
	}
	_, err := r.deliver(ctx, deliverSwept, 0)
	return err
}

// settle delivers the findings and counts the new ones.
func (r *run) settle(ctx context.Context, id string, keys []string) error {
	most := deliverSwept
	if end, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(end)-leastDelivery)
	}
	report, err := r.deliver(ctx, most, 0, keys...)
	if err != nil || len(keys) == 0 {
		return err
	}
	saved := 0
	for _, key := range keys {
		// What was not delivered yet is safe in the spool, and will be.
		if result, ok := report.Stored[key]; !ok || result.Status != memory.MergedIn {
			saved++
		}
	}
	r.log.Saved = saved
	if err := r.sessions.Update(ctx, id, func(s *session.State) error {
		s.Saved += saved
		return nil
	}); err != nil {
		return err
	}
	return r.record(memory.ActionExtract+"/"+unique(), memory.ActionExtract, nil, map[string]any{
		"event": r.in.Event, "found": len(keys), "saved": saved,
	})
}

// sweep takes a session's transcript by rules, and returns the keys of what it kept.
func (r *run) sweep(ctx context.Context, of sweep.Source, whole bool) ([]string, error) {
	sweeping := &sweep.Sweep{
		Sessions: r.sessions, Spool: r.spool, Redactor: r.redactor, Now: r.opts.Now,
		User: r.cfg.User, Most: r.cfg.Hooks.ExtractMax,
	}
	taken, err := sweeping.Take(ctx, of, whole)
	r.log.Extracted += len(taken.Keys)
	r.log.Spooled += len(taken.Keys)
	for _, note := range taken.Notes {
		r.note(note)
	}
	return taken.Keys, err
}

// sweepOthers takes what is left in the transcripts of a project's sessions
// that ended without a word, such as those that were killed.
func (r *run) sweepOthers(ctx context.Context) error {
	if sweep.Attended(r.cfg, r.opts.Now()) {
		return nil
	}
	others, err := r.sessions.Find(othersPerStart, r.abandoned)
	if err != nil {
		return err
	}
	for _, state := range others {
		other := sweep.Source{Session: state.Session, Transcript: state.Transcript, Project: state.Project, Dir: state.Dir}
		keys, err := r.sweep(ctx, other, true)
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			r.note(fmt.Sprintf("took %d from a session that ended without a word", len(keys)))
		}
	}
	return nil
}

// abandoned reports whether a session is another one of this project in whose
// transcript something is left, and in which nobody works.
func (r *run) abandoned(s session.State) bool {
	if s.Project != r.project || s.Session == r.in.Session {
		return false
	}
	info, err := os.Stat(s.Transcript)
	return err == nil && info.Size() != s.SweptSize && (s.Ended || r.opts.Now().Sub(info.ModTime()) > sweep.Idle)
}
