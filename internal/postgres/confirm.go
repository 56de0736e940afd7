package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// confirm notes that the same text was stored again: a step of confidence,
// and what the newer one knows more.
func (s *store) confirm(ctx context.Context, before row) (memory.StoreResult, error) {
	after := before
	after.Tags = uniteTags(before.Tags, s.rec.Tags)
	after.Importance = max(before.Importance, s.rec.Importance)
	after.Pinned = before.Pinned || s.rec.Pinned
	after.ExpiresAt = later(before.ExpiresAt, s.rec.ExpiresAt)
	s.strengthen(&after, before)
	same := slices.Equal(before.Tags, after.Tags) && before.Importance == after.Importance && before.Pinned == after.Pinned
	if err := s.l.save(ctx, s.tx, s.op, change{before: &before, after: after, quiet: same}); err != nil {
		return memory.StoreResult{}, err
	}
	return resultOf(after, memory.MergedIn, 1), nil
}

// absorb merges the new text into a memory that says the same in other
// words. The text keeps a row of its own, so that storing it again finds the
// survivor at once and nothing that was accepted is untraceable.
func (s *store) absorb(ctx context.Context, before row, own *row, similarity float64) (memory.StoreResult, error) {
	after := before
	after.Record = combine(before.Record, s.rec)
	s.strengthen(&after, before)
	if before.Collection == memory.ShortTerm && s.rec.Collection != memory.ShortTerm {
		// What was kept for some days only was now told for good.
		if after.indexedIn == "" {
			after.indexedIn = before.Collection // a point may be there, not yet noted
		}
		after.Collection, after.Type = s.rec.Collection, s.rec.Type
	}
	changes, err := s.l.mergeTwins(ctx, s.tx, s.op, &after)
	if err != nil {
		return memory.StoreResult{}, err
	}
	absorbed := fresh(s.rec, own)
	absorbed.State, absorbed.MergedInto = memory.Merged, before.ID
	absorbed.dirty = own != nil // a row that was live once may have left a point behind
	changes = append(changes, change{before: &before, after: after}, change{before: own, after: absorbed})
	if err := s.l.save(ctx, s.tx, s.op, changes...); err != nil {
		return memory.StoreResult{}, err
	}
	return resultOf(after, memory.MergedIn, similarity), nil
}

// strengthen counts a confirmation. Confidence grows by a step and not by
// the sum: a text stored again is one more witness, not a second memory.
func (s *store) strengthen(after *row, before row) {
	after.Confidence = memory.Gain(before.Confidence, memory.MergeGain)
	if s.now.After(before.LastAccessed) {
		after.LastAccessed = s.now
	}
	// A sweep that reads the same session twice proves nothing.
	if s.rec.Session == "" || s.rec.Session != before.Session {
		after.confirmations++
	}
	after.dirty = true
}

// uniteTags keeps the older ones when there are too many.
func uniteTags(old, more []string) []string {
	out := slices.Clone(old)
	for _, t := range more {
		if !slices.Contains(out, t) && len(out) < memory.MaxTags {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// later returns the later expiry; none is the latest.
func later(a, b *time.Time) *time.Time {
	if a == nil || b == nil {
		return nil
	}
	if b.After(*a) {
		at := moment(*b)
		return &at
	}
	return a
}
