// Package sweep takes from the transcripts of sessions what is worth keeping.
//
// A sweep reads a transcript from the session's checkpoint, where the last sweep
// ended, and puts what it finds into the spool. Only then does the checkpoint
// move on. A sweep that is killed in between finds the same once more, under the
// same keys, and the spool counts it once.
//
// Hooks sweep with [Sweep.Take], by rules alone. A chat model takes seconds and
// a session waits for its hooks, so where one is set a [Sweeper] in the daemon
// or in mneme-worker reads the transcripts, and hooks leave them to it for as
// long as it is at work: see [Attended].
package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

const (
	// Idle is how long nobody has written to a transcript whose session is
	// taken for over, although it never said so.
	Idle = 10 * time.Minute
	// LeastPrompt is how short a prompt may be, in bytes, that says what a session
	// is about: "yes" and "go on" do not.
	LeastPrompt = 12

	perStep  = 5   // candidates of one step; Most bounds those of a session
	maxTopic = 300 // bytes of the last prompt that are kept
	maxPoint = 160 // bytes of one thing that is still to be done
)

// Sweep takes the transcripts of one project's sessions. All fields but Chat
// are required.
type Sweep struct {
	Sessions *session.Store
	Spool    *spool.Spool
	Redactor memory.Redactor
	Now      func() time.Time
	User     string          // whose sessions they are
	Most     int             // candidates of one session, over all its sweeps
	Chat     extract.Chatter // nil means rules alone; when it fails, the rules find what they can
}

// Source is the session whose transcript is swept. Project and Dir count for a
// session that is not known yet.
type Source struct {
	Session    string
	Transcript string // its file
	Project    string
	Dir        string // that Claude Code was started in
}

// Taken is what a sweep found.
type Taken struct {
	Keys   []string       // of the entries in the spool, one a candidate
	Method extract.Method // by which the last of them were found
	Notes  []string       // what the user should know of it, for the log
}

// Take takes what is new in a transcript. Unless whole, a turn that is not over
// is left for the next sweep. Of two sweeps of one session at once, one waits
// and finds nothing left.
func (s *Sweep) Take(ctx context.Context, of Source, whole bool) (Taken, error) {
	var taken Taken
	unlock, err := s.Sessions.LockSweep(ctx, of.Session)
	if err != nil {
		return taken, err
	}
	defer unlock()
	state, _, err := s.Sessions.Get(of.Session)
	if err != nil {
		return taken, err
	}
	state.Transcript = of.Transcript
	if state.Project == "" {
		state.Project = of.Project
	}
	if state.Dir == "" {
		state.Dir = of.Dir
	}
	info, err := os.Stat(of.Transcript)
	if err != nil {
		return taken, fmt.Errorf("find transcript: %w", err)
	}
	if !info.Mode().IsRegular() {
		return taken, errors.New("find transcript: it is no file")
	}
	if info.Size() == state.SweptSize {
		return taken, nil
	}
	for more := true; more; {
		if more, err = s.step(ctx, &state, whole, &taken); err != nil {
			return taken, err
		}
	}
	if !whole {
		return taken, nil
	}
	return taken, s.Sessions.Update(ctx, of.Session, func(st *session.State) error {
		st.SweptSize = info.Size()
		return nil
	})
}

// step takes one piece of a transcript. What it found is safe in the spool
// before the checkpoint moves on.
func (s *Sweep) step(ctx context.Context, state *session.State, whole bool, taken *Taken) (more bool, err error) {
	batch, err := transcript.Read(ctx, state.Transcript, state.Checkpoint, transcript.Options{Whole: whole})
	if err != nil {
		return false, err
	}
	kept, err := s.keep(s.candidates(ctx, state, batch, taken), state, failed(batch.Events), taken)
	if err != nil {
		return false, err
	}
	topic, points := s.topic(batch.Events), s.points(batch.Events)
	moved := batch.Next != state.Checkpoint
	if !moved && topic == "" && points == nil {
		return false, nil
	}
	return batch.More && moved, s.Sessions.Update(ctx, state.Session, func(st *session.State) error {
		st.Project, st.Transcript = state.Project, state.Transcript
		if st.Dir == "" {
			st.Dir = state.Dir
		}
		st.Checkpoint, st.Extracted = batch.Next, st.Extracted+kept
		if topic != "" {
			st.Topic = topic
		}
		if points != nil {
			st.Points = points
		}
		*state = *st
		return nil
	})
}

// points returns the open tasks that new events name, or nil if the events name none and complete none.
func (s *Sweep) points(events []transcript.Event) *session.Points {
	items, told := extract.OpenPoints(events)
	if !told {
		return nil
	}
	p := &session.Points{Items: []string{}, At: s.Now().UTC()}
	for _, item := range items {
		text, _ := s.Redactor.Redact(memory.PlainText(item))
		p.Items = append(p.Items, memory.Clip(text, maxPoint))
	}
	return p
}

// failed reports whether a tool call failed that the person had allowed.
func failed(events []transcript.Event) bool {
	return slices.ContainsFunc(events, func(e transcript.Event) bool { return e.Tool != nil && e.Tool.Failed && !e.Tool.Rejected })
}

// keep puts candidates into the spool and counts them.
func (s *Sweep) keep(found []extract.Candidate, state *session.State, failures bool, taken *Taken) (int, error) {
	kept := 0
	for _, c := range found {
		in := c.StoreInput(state.Project, state.Session)
		in.User = s.User
		if c.Type == memory.TypeLearning && failures {
			// A finding near a failure is recalled when the same failure comes again.
			in.Tags = append(slices.Clone(in.Tags), memory.TypeError)
		}
		if _, err := in.Clean(); err != nil {
			taken.Notes = append(taken.Notes, "a candidate was not fit to be stored")
			continue
		}
		key := "extract/" + last(c.UUIDs) + "/" + memory.ContentHash(c.Text)
		if err := s.Spool.Add(spool.Entry{Key: key, At: s.Now().UTC(), Store: &in}); err != nil {
			return kept, err
		}
		taken.Keys = append(taken.Keys, key)
		kept++
	}
	return kept, nil
}

// candidates finds what is worth keeping, within what the session may give.
func (s *Sweep) candidates(ctx context.Context, state *session.State, batch transcript.Batch, taken *Taken) []extract.Candidate {
	left := min(perStep, s.Most-state.Extracted)
	if left <= 0 {
		return nil
	}
	found := extract.Extract(ctx, batch.Events, s.Chat, extract.Options{Limit: left, Known: state.Texts(), Redactor: s.Redactor})
	taken.Method = found.Method
	if found.Fallback != "" {
		text, _ := s.Redactor.Redact(memory.PlainText(found.Fallback))
		taken.Notes = append(taken.Notes, "by rules: "+text)
	}
	return found.Candidates[:min(left, len(found.Candidates))]
}

// topic is what the person asked for last, for the recall after a compaction.
func (s *Sweep) topic(events []transcript.Event) string {
	text := ""
	for _, e := range events {
		if e.Kind == transcript.Prompt && !e.Sidechain && len(e.Text) >= LeastPrompt {
			text = e.Text
		}
	}
	if text == "" {
		return ""
	}
	text, _ = s.Redactor.Redact(text) // before it is cut: half of a secret is not recognised as one
	return memory.Clip(memory.PlainText(strings.ToValidUTF8(text, "")), maxTopic)
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
