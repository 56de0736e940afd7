package activities

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// The bounds of one step of indexing: the number of parts of messages, and the bytes of their texts.
const (
	archivePage  = conversation.MaxBatch
	archiveBytes = 4 << 20
)

// ArchiveMessages adds messages to the archive of conversations and brings the index in step. It
// may run again, also on another worker: messages that are archived already are not archived twice.
func (a *Activities) ArchiveMessages(ctx context.Context, in conversation.Batch) (conversation.Archived, error) {
	var done conversation.Archived
	if len(in.Messages) == 0 || len(in.Messages) > conversation.MaxBatch {
		return done, memory.Errorf(memory.Invalid, "split it", "a batch has 1 to %d messages, not %d", conversation.MaxBatch, len(in.Messages))
	}
	messages, ids, taken := make([]conversation.Message, len(in.Messages)), make([]string, len(in.Messages)), map[string][]string{}
	for i, m := range in.Messages {
		clean, kinds, err := conversation.Admit(a.Redactor, m)
		if err != nil {
			return done, fmt.Errorf("message %d: %w", i+1, err)
		}
		messages[i], ids[i] = clean, clean.ID
		taken[clean.Project] = append(taken[clean.Project], kinds...)
	}
	done, err := a.Ledger.Archive(ctx, messages, in.Again)
	if err != nil {
		return done, err
	}
	if err := a.noteArchived(ctx, in.User, taken, done); err != nil {
		return done, err
	}
	for {
		n, err := a.indexArchive(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
		if err != nil || n == 0 {
			return done, err
		}
	}
}

// noteArchived writes one audit row a project.
func (a *Activities) noteArchived(ctx context.Context, user string, taken map[string][]string, done conversation.Archived) error {
	for _, project := range slices.Sorted(maps.Keys(taken)) {
		kinds := slices.Compact(slices.Sorted(slices.Values(taken[project])))
		details := map[string]any{"batch": done}
		if len(kinds) > 0 {
			details["redacted"] = kinds
		}
		if err := a.Ledger.Note(ctx, op(ctx, user, memory.ActionArchive, "archive/"+project), project, "", details); err != nil {
			return err
		}
	}
	return nil
}

// indexArchive brings some parts in step with the index, those of ids or any, and returns how many.
func (a *Activities) indexArchive(ctx context.Context, ids []string) (int, error) {
	ctx = a.pin(ctx)
	if err := a.readyArchive(ctx); err != nil {
		return 0, err
	}
	kept, err := a.Ledger.ArchiveUnindexed(ctx, ids, archivePage, archiveBytes)
	if err != nil || len(kept) == 0 {
		return 0, err
	}
	points, counts, err := a.passages(ctx, kept)
	if err != nil {
		return 0, err
	}
	model := a.model(ctx)
	err = a.Ledger.ArchiveIndexed(ctx, kept, counts, model, func(ctx context.Context, still []bool) error {
		write, drop := changes(kept, points, counts, still)
		for _, index := range a.indexes(ctx) {
			if err := index.DeletePassages(ctx, drop); err != nil {
				return err
			}
		}
		return a.index(ctx).UpsertPassages(ctx, write)
	})
	return len(kept), err
}

// changes are the points to write of parts that are still as they were read, and the ids of those
// that a longer text had before.
func changes(kept []conversation.Kept, points [][]conversation.Point, counts []int, still []bool) (write []conversation.Point, drop []string) {
	for i, k := range kept {
		if !still[i] {
			continue
		}
		write = append(write, points[i]...)
		for n := counts[i]; n < k.Points; n++ {
			drop = append(drop, conversation.PassageID(k.ID, k.Part, n))
		}
	}
	return write, drop
}

// passagesOf cuts parts into passages: the points of each part and their number, and all points with
// the texts that have to be embedded for them.
func passagesOf(kept []conversation.Kept) (points [][]conversation.Point, counts []int, places []*conversation.Point, texts []string) {
	points, counts = make([][]conversation.Point, len(kept)), make([]int, len(kept))
	for i, k := range kept {
		for n, p := range conversation.Passages(k.Text) {
			points[i] = append(points[i], conversation.Point{ID: conversation.PassageID(k.ID, k.Part, n), Of: k.Message, Passage: p})
		}
		counts[i] = len(points[i])
		for n := range points[i] {
			texts, places = append(texts, points[i][n].Passage.Text), append(places, &points[i][n])
		}
	}
	return points, counts, places, texts
}

// passages cuts parts into passages and embeds them.
func (a *Activities) passages(ctx context.Context, kept []conversation.Kept) ([][]conversation.Point, []int, error) {
	points, counts, places, texts := passagesOf(kept)
	for from := 0; from < len(texts); from += embedBatch {
		to := min(from+embedBatch, len(texts))
		vectors, err := a.embed(ctx, memory.ForDocument, texts[from:to])
		if err != nil {
			return nil, nil, err
		}
		for i, v := range vectors {
			places[from+i].Vector = v
		}
	}
	return points, counts, nil
}

// readyArchive makes the collection of the archive if it is missing. What the ledger takes for indexed
// and cannot be, because the collection is empty or the model another one, is indexed anew. Once is
// enough for a process, unless the collection is lost.
func (a *Activities) readyArchive(ctx context.Context) error {
	ctx = a.pin(ctx)
	if a.archiveReady.Load() {
		return nil
	}
	vectors, err := a.embed(ctx, memory.ForDocument, []string{"conversation"})
	if err != nil {
		return err
	}
	dimension := len(vectors[0])
	if err := a.Ledger.UseModel(ctx, a.model(ctx), dimension); err != nil {
		return err
	}
	if err := a.index(ctx).EnsureConversations(ctx, dimension); err != nil {
		return err
	}
	n, err := a.index(ctx).CountPassages(ctx)
	if err != nil {
		return err
	}
	model := a.model(ctx)
	if n == 0 {
		model = ""
	}
	if _, err := a.Ledger.ArchiveReset(ctx, model); err != nil {
		return err
	}
	a.archiveReady.Store(true)
	return nil
}

// IndexConversations writes the parts of archived messages that the index lacks, or with Anew all
// parts, to the index, and returns how many parts were written.
func (a *Activities) IndexConversations(ctx context.Context, in IndexConversationsInput) (int, error) {
	a.archiveReady.Store(false)
	if in.Anew {
		if _, err := a.Ledger.ArchiveReset(ctx, ""); err != nil {
			return 0, err
		}
	}
	total := 0
	for {
		n, err := a.indexArchive(ctx, nil)
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
}

// IndexConversationsInput says what of the archive to index.
type IndexConversationsInput struct {
	Anew bool `json:"anew,omitempty"` // also what is there already
}
