package activities

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// Undoer takes changes back, each as a change of its own.
type Undoer interface {
	// Changes returns the last changes that can be undone, newest first. Recalls and credits are none.
	Changes(ctx context.Context, limit int) ([]memory.Change, error)
	// FindChange returns the change that an UndoInput.Of names. Only is set for a memory's id: the
	// memories to which the undo is bounded, that one first.
	FindChange(ctx context.Context, of string) (found memory.FoundChange, err error)
	// UndoPage takes back what a change did to a page of its memories. It compares each with its
	// pre-image by hash before it commits. What was changed since is left alone.
	UndoPage(ctx context.Context, op memory.Op, scope memory.UndoScope, embed memory.Embed) (memory.UndonePage, error)
	// UndoLinks takes back what a change did to links, as far as both ends can have links again.
	UndoLinks(ctx context.Context, op memory.Op, scope memory.UndoScope) (memory.UndoneLinks, error)
	// TurnTexts adds the texts to turns.
	TurnTexts(ctx context.Context, turns []memory.Turn) ([]memory.Undo, error)
	// Restore makes one memory live again that was forgotten, pruned, merged away or expired, as it
	// was before, and returns its id. One that is live is refused ([memory.Conflict]).
	Restore(ctx context.Context, op memory.Op, id string, embed memory.Embed) (string, error)
}
