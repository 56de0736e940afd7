package memory

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Survivor returns the place of the record that the others are merged into:
// a pinned one, else the one of the highest confidence, else the oldest, else
// the one with the lowest id; -1 for no records.
func Survivor(records []Record) int {
	best := -1
	for i, r := range records {
		if best < 0 || outlives(r, records[best]) {
			best = i
		}
	}
	return best
}

func outlives(a, b Record) bool {
	switch {
	case a.Pinned != b.Pinned:
		return a.Pinned
	case a.Confidence != b.Confidence:
		return a.Confidence > b.Confidence
	case !a.CreatedAt.Equal(b.CreatedAt):
		return a.CreatedAt.Before(b.CreatedAt)
	default:
		return a.ID < b.ID
	}
}

// Mergeable reports whether the text of both fits into one memory, so that
// [Merge] loses no sentence. Ask before merging.
func Mergeable(a, b Record) bool {
	return len(MergeTexts(a.Text, b.Text)) <= MaxTextBytes && len(union(a.Tags, b.Tags)) <= MaxTags
}

// Merge returns survivor with what absorbed adds to it: the sentences that it
// does not say yet, tags, confidence (summed, at most 1), the earlier creation,
// the later access, the higher importance, the accesses of both. Pinned stays
// pinned, and what one keeps for good is kept for good. Id, project,
// collection, type, source, session and model are the survivor's. The vector
// is the average of both directions, unless one is zero or of another model.
//
// A text that would pass MaxTextBytes stays the survivor's: [Mergeable] tells
// before, and whoever merges leaves such a pair alone.
func Merge(survivor, absorbed Record) Record {
	out := survivor
	if text := MergeTexts(survivor.Text, absorbed.Text); len(text) <= MaxTextBytes {
		out.Text = text
	}
	out.ContentHash = ContentHash(out.Text)
	out.Vector = mergeVectors(survivor, absorbed)
	out.Tags = union(survivor.Tags, absorbed.Tags)
	if len(out.Tags) > MaxTags {
		out.Tags = slices.Clone(survivor.Tags)
	}
	out.Confidence = min(1, max(0, survivor.Confidence)+max(0, absorbed.Confidence))
	out.Importance = max(survivor.Importance, absorbed.Importance)
	out.Pinned = survivor.Pinned || absorbed.Pinned
	out.AccessCount = survivor.AccessCount + absorbed.AccessCount
	if absorbed.CreatedAt.Before(out.CreatedAt) {
		out.CreatedAt = absorbed.CreatedAt
	}
	if absorbed.LastAccessed.After(out.LastAccessed) {
		out.LastAccessed = absorbed.LastAccessed
	}
	out.ExpiresAt = laterExpiry(survivor.ExpiresAt, absorbed.ExpiresAt)
	return out
}

// MergeTexts returns a with those sentences of b that a does not hold. They
// follow on a line of their own where either text has lines.
func MergeTexts(a, b string) string {
	said := make(map[string]bool)
	for _, s := range sentencesOf(a) {
		said[sentenceKey(s)] = true
	}
	more, dropped := "", false
	for _, s := range sentencesOf(b) {
		key := sentenceKey(s)
		if key != "" && said[key] {
			dropped = true
			continue
		}
		said[key] = true
		// What stood between two sentences may have been all that told them apart.
		if dropped && !splitsAt(more+s, len(strings.TrimSpace(more))) && strings.TrimSpace(more) != "" {
			more = strings.TrimRightFunc(more, unicode.IsSpace) + "\n"
		}
		more, dropped = more+s, false
	}
	addition := strings.TrimSpace(more)
	a = strings.TrimSpace(a)
	switch {
	case addition == "":
		return a
	case a == "":
		return addition
	case strings.Contains(a, "\n") || strings.Contains(addition, "\n"):
		return a + "\n" + addition
	case strings.IndexByte(".!?", a[len(a)-1]) >= 0:
		// Only where the splitter will see two sentences again.
		if joined := a + " " + addition; splitsAt(joined, len(a)) {
			return joined
		}
		return a + "\n" + addition
	default:
		return a + "\n" + addition
	}
}

// splitsAt reports whether a sentence of text ends at offset.
func splitsAt(text string, offset int) bool {
	end := 0
	for _, s := range sentencesOf(text) {
		end += len(s)
		if len(strings.TrimSpace(text[:end])) == offset {
			return true
		}
	}
	return false
}

func mergeVectors(survivor, absorbed Record) Vector {
	a, b := survivor.Vector, absorbed.Vector
	if b.IsZero() || len(a) != len(b) || survivor.Model != absorbed.Model {
		return a.Unit()
	}
	if a.IsZero() {
		return b.Unit()
	}
	return MeanVector(a, b)
}

func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

func laterExpiry(a, b *time.Time) *time.Time {
	if a == nil || b == nil {
		return nil
	}
	later := *a
	if b.After(later) {
		later = *b
	}
	return &later
}
