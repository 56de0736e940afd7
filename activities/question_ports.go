package activities

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// Questioner keeps the questions whose answers no organize run may lose.
type Questioner interface {
	// PinQuestion keeps a question, or replaces what is expected of one with the same text. The
	// expected memories must be live, and of its project or of memory.Global ([memory.NotFound]).
	PinQuestion(ctx context.Context, op memory.Op, q memory.PinnedQuestion) (memory.PinnedQuestion, error)
	// UnpinQuestion removes a pinned question. ref is the question's id, or the beginning of that id.
	UnpinQuestion(ctx context.Context, op memory.Op, ref string) (memory.PinnedQuestion, error)
	// Questions returns those of a project ("" for all), the oldest first. Expected are the memories
	// that stand for those that were merged away.
	Questions(ctx context.Context, project string) ([]memory.PinnedQuestion, error)
	// KeptGroups returns some of the groups that a step of a workflow kept with KeepGroups.
	KeptGroups(ctx context.Context, workflowID, step string, from, limit int) ([][]string, error)
}
