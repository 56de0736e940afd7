package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/memory"
)

// maxChangeID bounds the id of a change.
const maxChangeID = 1000

func (s *Server) addUndoing() {
	add(s, spec{
		name: toolname.Undo, title: "Undo", timeout: s.opts.Deadlines.Organize,
		about: "Take back an organize run, forget, import, merge, edit or store. Without of it shows the last.",
		params: []param{
			{name: "of", kind: kindString, about: "an id", maxLen: maxChangeID},
			dryRunParam(),
		},
		effect: effect{destructive: true},
	}, s.undo)
}

// undone answers memory_undo.
type undone struct {
	Status   string       `json:"status"` // done, shown (nothing was changed) or running
	Of       string       `json:"of"`
	Restored int          `json:"restored"`
	Links    int          `json:"links,omitempty"`
	Verified bool         `json:"verified,omitempty"`
	Undo     string       `json:"undo,omitempty"` // by which this can be taken back
	Memories []undoneTurn `json:"memories"`       // the first
	Left     []undoneLeft `json:"left"`           // the first
	Message  string       `json:"message"`
}

type undoneTurn struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	From    string `json:"from"`
	To      string `json:"to"`
	Text    string `json:"text"`
}

type undoneLeft struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

func (a undone) text() string {
	lines := []string{a.Message}
	for _, m := range a.Memories {
		lines = append(lines, fmt.Sprintf("- %s (%s, %s to %s): %s", m.ID, m.Project, m.From, m.To, m.Text))
	}
	for _, l := range a.Left {
		lines = append(lines, fmt.Sprintf("- %s left alone, %s: %s", l.ID, l.Reason, l.Text))
	}
	return strings.Join(lines, "\n")
}

// The memories that an answer shows; the counts are whole.
const (
	maxTurns    = 10
	maxTurnText = 200
)

func newUndone(r memory.UndoReport) undone {
	a := undone{
		Status: "done", Of: r.Change.WorkflowID, Restored: r.Restored, Links: r.Links, Verified: r.Verified,
		Undo: r.WorkflowID, Memories: []undoneTurn{}, Left: []undoneLeft{},
	}
	for _, x := range r.Examples[:min(len(r.Examples), maxTurns)] {
		to, text := string(x.To), x.Becomes
		if to == "" {
			to, text = "not there", x.Was
		}
		text, _ = cut(cleanText(text), maxTurnText)
		a.Memories = append(a.Memories, undoneTurn{x.ID, cleanText(x.Project), string(x.From), to, text})
	}
	for _, l := range r.Left[:min(len(r.Left), maxTurns)] {
		text, _ := cut(cleanText(l.Text), maxTurnText)
		a.Left = append(a.Left, undoneLeft{l.ID, text, l.Reason})
	}
	switch {
	case r.DryRun:
		// The chain names this very change, also where its workflow ran before. Where only one
		// memory was shown, only that memory is taken back.
		a.Status, a.Undo, a.Of = "shown", "", r.Change.Chain
		if r.Only != "" {
			a.Of = r.Only
		}
		a.Message = fmt.Sprintf("nothing was changed yet. This would take back the %s of %s: %s and %s. If the user agrees, call again with of: %q",
			r.Change.Action, r.Change.At.Format("2006-01-02T15:04:05Z"), plural(r.Restored), links(r.Links), a.Of)
	case r.Restored+r.Links == 0:
		a.Message = "nothing came back: all is as it was before the change already, or was changed since"
	case r.Verified:
		a.Message = fmt.Sprintf("took back %s and %s; each was compared with what it was before, and is equal", plural(r.Restored), links(r.Links))
	default:
		a.Message = fmt.Sprintf("took back %s and %s; NOT all are what they were before: %s", plural(r.Restored), links(r.Links), strings.Join(r.Differ, ", "))
	}
	if r.LeftCount > 0 {
		a.Message += fmt.Sprintf("; %s left alone", plural(r.LeftCount))
	}
	return a
}

// links is "1 link", "2 links".
func links(n int) string {
	if n == 1 {
		return "1 link"
	}
	return fmt.Sprintf("%d links", n)
}

type undoArgs struct {
	Of     string `json:"of"`
	DryRun bool   `json:"dry_run"`
}

func (in undoArgs) validate() error { _, err := (memory.UndoInput{Of: in.Of}).Clean(); return err }

// undo waits for the report until the deadline. The workflow does not need
// anyone to wait for it.
func (s *Server) undo(ctx context.Context, c Client, in undoArgs) (answer, error) {
	var mu sync.Mutex
	var last memory.UndoReport
	report, err := c.Undo(ctx, memory.UndoInput{Of: in.Of, DryRun: in.DryRun || in.Of == "", User: s.opts.User}, func(r memory.UndoReport) {
		mu.Lock()
		defer mu.Unlock()
		last = r
	})
	if err == nil {
		return newUndone(report), nil
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	if last.WorkflowID == "" {
		return nil, err // nothing says that it was started
	}
	a := newUndone(last)
	a.Status, a.Message = "running", fmt.Sprintf("it goes on in the background as %s; %s so far", last.WorkflowID, plural(last.Restored))
	return a, nil
}
