package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/hook/session"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

const (
	perSweep       = 5                // candidates of one step; the settings bound those of a session
	othersPerStart = 3                // sessions that a SessionStart looks after
	idle           = 10 * time.Minute // a transcript that is not written to for so long is nobody's
	maxTopic       = 300              // bytes of the last prompt that are kept
	deliverSwept   = 1500 * time.Millisecond
	leastDelivery  = 100 * time.Millisecond
)

// beforeCompact saves what the compaction may lose. What it prints goes to the
// summariser, so it is a plain statement or nothing.
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
	return r.sessions.Leave(ctx, r.in.Session)
}

// sweepOwn takes from the session's transcript what is new, and delivers.
func (r *run) sweepOwn(ctx context.Context, whole bool) error {
	if r.in.Session == "" || r.in.Transcript == "" {
		return r.nothing(false)
	}
	if leavesSweeps(r.cfg) {
		return r.leaveSweep(ctx)
	}
	keys, err := r.sweep(ctx, r.in.Session, r.in.Transcript, whole)
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

// leaveSweep lets the daemon know where the transcript is.
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

// settle delivers what was found and counts what of it is new.
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

// sweep takes a session's transcript from where the last sweep ended and keeps
// what is worth it. It returns the keys of what it kept.
//
// Of two sweeps at once one waits and finds nothing left. One that is killed
// after keeping and before the checkpoint is kept finds the same candidates
// again, with the same keys: they are one request.
func (r *run) sweep(ctx context.Context, id, path string, whole bool) ([]string, error) {
	unlock, err := r.sessions.LockSweep(ctx, id)
	if err != nil {
		return nil, err
	}
	defer unlock()
	state, _, err := r.sessions.Get(id)
	if err != nil {
		return nil, err
	}
	state.Transcript = path
	if state.Project == "" {
		state.Project = r.project
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find transcript: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("find transcript: it is no file")
	}
	if info.Size() == state.SweptSize {
		return nil, nil
	}
	var keys []string
	for more := true; more; {
		var found []string
		if found, more, err = r.step(ctx, &state, whole); err != nil {
			return keys, err
		}
		keys = append(keys, found...)
	}
	if !whole {
		return keys, nil
	}
	return keys, r.sessions.Update(ctx, id, func(s *session.State) error {
		s.SweptSize = info.Size()
		return nil
	})
}

// step takes one piece of a transcript: first what was found is safe in the
// spool, then the checkpoint moves on.
func (r *run) step(ctx context.Context, state *session.State, whole bool) (keys []string, more bool, err error) {
	batch, err := transcript.Read(ctx, state.Transcript, state.Checkpoint, transcript.Options{Whole: whole})
	if err != nil {
		return nil, false, err
	}
	// What is learned where something failed is looked for when it fails again.
	failures := slices.ContainsFunc(batch.Events, func(e transcript.Event) bool { return e.Tool != nil && e.Tool.Failed && !e.Tool.Rejected })
	for _, c := range r.candidates(ctx, state, batch) {
		key := "extract/" + last(c.UUIDs) + "/" + memory.ContentHash(c.Text)
		in := c.StoreInput(state.Project, state.Session)
		in.User = r.cfg.User
		if c.Type == memory.TypeLearning && failures {
			in.Tags = append(slices.Clone(in.Tags), errorTag)
		}
		if _, err := in.Clean(); err != nil {
			r.note("a candidate was not fit to be stored")
			continue
		}
		if err := r.keep(spool.Entry{Key: key, Store: &in}); err != nil {
			return keys, false, err
		}
		keys = append(keys, key)
	}
	r.log.Extracted += len(keys)
	topic := r.topic(batch.Events)
	moved := batch.Next != state.Checkpoint
	if !moved && topic == "" {
		return keys, false, nil
	}
	return keys, batch.More && moved, r.sessions.Update(ctx, state.Session, func(s *session.State) error {
		s.Project, s.Transcript = state.Project, state.Transcript
		if s.Dir == "" {
			s.Dir = r.dir
		}
		s.Checkpoint, s.Extracted = batch.Next, s.Extracted+len(keys)
		if topic != "" {
			s.Topic = topic
		}
		*state = *s
		return nil
	})
}

// candidates finds what is worth keeping, within what the session may give.
func (r *run) candidates(ctx context.Context, state *session.State, batch transcript.Batch) []extract.Candidate {
	left := min(perSweep, r.cfg.Hooks.ExtractMax-state.Extracted)
	if left <= 0 {
		return nil
	}
	found := extract.Extract(ctx, batch.Events, r.chat, extract.Options{Limit: left, Known: state.Texts()})
	r.method = found.Method
	if found.Fallback != "" {
		text, _ := r.redactor.Redact(memory.PlainText(found.Fallback))
		r.note("by rules: " + text)
	}
	return found.Candidates[:min(left, len(found.Candidates))]
}

// topic is what the person asked for last, for the recall after a compaction.
func (r *run) topic(events []transcript.Event) string {
	text := ""
	for _, e := range events {
		if e.Kind == transcript.Prompt && !e.Sidechain && len(e.Text) >= leastPrompt {
			text = e.Text
		}
	}
	if text == "" {
		return ""
	}
	text, _ = r.redactor.Redact(text) // before it is cut: half of a secret is not known for one
	return clipText(memory.PlainText(strings.ToValidUTF8(text, "")), maxTopic)
}

// sweepOthers takes what is left in the transcripts of a project's sessions
// that ended without a word, such as those that were killed.
func (r *run) sweepOthers(ctx context.Context) error {
	if leavesSweeps(r.cfg) {
		return nil
	}
	others, err := r.sessions.Find(othersPerStart, r.abandoned)
	if err != nil {
		return err
	}
	for _, state := range others {
		keys, err := r.sweep(ctx, state.Session, state.Transcript, true)
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
	return err == nil && info.Size() != s.SweptSize && (s.Ended || r.opts.Now().Sub(info.ModTime()) > idle)
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
