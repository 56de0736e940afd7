package history

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// wantsMemories reports whether memories are looked for in a transcript: a subagent's words are
// the model's own, and a date cannot be held against a step of a session.
func (i Import) wantsMemories(t Transcript) bool {
	return i.Memories > 0 && t.Thread == "" && i.Since == nil && i.Before == nil && !i.Again
}

// remember looks for memories in what is new of a session, as hooks do, and stores them with the
// time at which they were said.
func (r *run) remember(ctx context.Context, t Transcript, redactor memory.Redactor) error {
	if r.attended(t) {
		r.found.Attended++
		return nil
	}
	taken := r.progress.from(t, false, false)
	whole := r.Now().Sub(t.Modified) > idle
	for more := true; more; {
		batch, err := transcript.Read(ctx, t.Path, taken.Checkpoint, transcript.Options{Whole: whole})
		if err != nil {
			return err
		}
		var items []memory.StoreInput
		for _, c := range r.candidates(ctx, batch, taken.Extracted, redactor) {
			in := c.StoreInput(t.Project, t.Session)
			in.User, in.Source = r.User, memory.SourceImport
			in.Text, _ = redactor.Redact(in.Text)
			if _, err := in.Clean(); err == nil {
				items = append(items, in)
			}
		}
		r.found.Candidates += len(items)
		taken.Extracted += len(items)
		moved := batch.Next != taken.Checkpoint
		taken.Checkpoint, more = batch.Next, batch.More && moved
		if r.client == nil {
			continue
		}
		if err := r.memories.store(ctx, items); err != nil {
			return err
		}
		if !more && whole {
			taken.Searched = t.Size
		}
		if taken.HeadSize == 0 {
			taken = taken.at(t.Path, taken.Offset)
		}
		r.progress.Files[t.Path] = taken
		if err := r.progress.save(); err != nil {
			return err
		}
	}
	return nil
}

// perStep bounds the candidates of one step, as in a session.
const perStep = 5

func (r *run) candidates(
	ctx context.Context, batch transcript.Batch, before int, redactor memory.Redactor,
) []extract.Candidate {
	left := min(perStep, r.Memories-before)
	if left <= 0 {
		return nil
	}
	found := extract.Extract(ctx, batch.Events, nil, extract.Options{Limit: left, Redactor: redactor})
	return found.Candidates[:min(left, len(found.Candidates))]
}

// storing sends memories, a batch after the other, as an import of its own.
type storing struct {
	client Client
	id     string
	next   int
	stored int
}

func (s *storing) store(ctx context.Context, items []memory.StoreInput) error {
	if len(items) == 0 {
		return nil
	}
	if s.id == "" {
		s.id = "claude-" + strings.ToLower(rand.Text())
		if _, err := s.client.ImportStart(ctx, s.id); err != nil {
			return err
		}
	}
	_, err := s.client.ImportBatch(ctx, s.id, memory.ImportBatch{Number: s.next, Items: items})
	s.next++
	return err
}

func (s *storing) finish(ctx context.Context) error {
	if s.id == "" {
		return nil
	}
	end, err := s.client.ImportFinish(ctx, s.id)
	s.stored = end.Stored
	return err
}
