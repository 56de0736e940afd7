package activities

import (
	"context"

	"github.com/mneme-memory/mneme/conversation"
)

// Archive is the ledger's part of the archive of conversations.
type Archive interface {
	// Archive adds messages, or parts of some. What is there with the same text is left alone; what was forgotten
	// comes back only with again.
	Archive(ctx context.Context, messages []conversation.Message, again bool) (conversation.Archived, error)
	// ArchiveUnindexed returns parts that the index has yet to learn, those of ids or, without any, of all,
	// in the order of ids, at most limit and about maxBytes of text, but one at least.
	ArchiveUnindexed(ctx context.Context, ids []string, limit, maxBytes int) ([]conversation.Kept, error)
	// ArchiveIndexed locks the parts that are still as they were read, has apply write their points, and notes
	// that they have as many and of which model. apply is told which parts still are, and must not call the ledger.
	ArchiveIndexed(ctx context.Context, kept []conversation.Kept, points []int, model string, apply func(ctx context.Context, still []bool) error) error
	// ArchiveReset has all parts indexed anew but those with points of a model, and returns how many those are.
	ArchiveReset(ctx context.Context, but string) (int, error)
	// ArchivePassages returns the passages that a search of the index found, with their texts. Passages of
	// forgotten messages are left out.
	ArchivePassages(ctx context.Context, found []conversation.Candidate) ([]conversation.Found, error)
	// ArchiveResolve returns the one message that an id, or the beginning of one, means in a project ("" for all).
	ArchiveResolve(ctx context.Context, ref, project string) (conversation.Message, error)
	// ArchivePage returns the next messages of a conversation or a thread, in parts.
	ArchivePage(ctx context.Context, p conversation.Place) (conversation.Page, error)
	// ArchiveAround returns a message, or the last one before a time, with its neighbours, in parts.
	ArchiveAround(ctx context.Context, p conversation.Place) (conversation.Page, error)
	// ArchiveSessions lists conversations, newest first.
	ArchiveSessions(ctx context.Context, in conversation.Listing) ([]conversation.Session, error)
	ArchiveStats(ctx context.Context) (conversation.Stats, error)
	// ArchiveCount counts what a filter selects.
	ArchiveCount(ctx context.Context, f conversation.Filter) (conversation.Receipt, error)
	// ArchiveForget blanks at most limit parts that a filter selects and returns how many those were.
	ArchiveForget(ctx context.Context, f conversation.Filter, limit int) (int, error)
	// ArchiveLeaving returns forgotten parts that may have points in the index.
	ArchiveLeaving(ctx context.Context, limit int) ([]conversation.Kept, error)
	// ArchiveLeft notes that the points of forgotten parts are gone.
	ArchiveLeft(ctx context.Context, kept []conversation.Kept) error
}

// Passages is the index's part of the archive of conversations.
type Passages interface {
	// EnsureConversations creates the collection of the archive, and makes one of another dimension anew, empty.
	EnsureConversations(ctx context.Context, dimension int) error
	UpsertPassages(ctx context.Context, points []conversation.Point) error
	// DeletePassages removes points; missing ones are no error.
	DeletePassages(ctx context.Context, ids []string) error
	// MissingPassages returns those of ids that the index does not hold.
	MissingPassages(ctx context.Context, ids []string) ([]string, error)
	// CountPassages counts the points; none where there is no collection.
	CountPassages(ctx context.Context) (int, error)
	// SearchPassages finds candidates; without the collection the error is a memory.ErrNoCollection.
	SearchPassages(ctx context.Context, s conversation.Search) ([]conversation.Candidate, error)
}
