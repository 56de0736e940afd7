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
// the later access and arrival, the higher importance, the accesses of both. Pinned
// stays pinned, and what one keeps for good is kept for good. Id, project,
// collection, type, source, session and model are the survivor's. The vector
// is the average of both directions, unless one is zero or of another model.
//
// A text that would pass MaxTextBytes stays the survivor's: [Mergeable] tells
// before, and whoever merges leaves such a pair alone.
func Merge(survivor, absorbed Record) Record {
	out := survivor
	out.Memory = mergeUse(survivor.Memory, absorbed.Memory)
	if text := MergeTexts(survivor.Text, absorbed.Text); len(text) <= MaxTextBytes {
		out.Text = text
	}
	out.ContentHash = ContentHash(out.Text)
	out.Vector = mergeVectors(survivor, absorbed)
	out.Tags = union(survivor.Tags, absorbed.Tags)
	if len(out.Tags) > MaxTags {
		out.Tags = slices.Clone(survivor.Tags)
	}
	return out
}

// mergeUse is the part of [Merge] that says how a memory is used, without what it says.
func mergeUse(survivor, absorbed Memory) Memory {
	out := survivor
	out.Confidence = min(1, max(0, survivor.Confidence)+max(0, absorbed.Confidence))
	out.Importance = max(survivor.Importance, absorbed.Importance)
	out.Pinned = survivor.Pinned || absorbed.Pinned
	out.AccessCount = survivor.AccessCount + absorbed.AccessCount
	if absorbed.CreatedAt.Before(out.CreatedAt) {
		out.CreatedAt = absorbed.CreatedAt
	}
	out.LastAccessed = latest(survivor.LastAccessed, absorbed.LastAccessed)
	out.ArrivedAt = latest(survivor.ArrivedAt, absorbed.ArrivedAt)
	out.ExpiresAt = laterExpiry(survivor.ExpiresAt, absorbed.ExpiresAt)
	return out
}

// MergeGroup makes one record of several that say the same. It returns the
// place of the survivor, the record that it becomes, and the places of those
// that are then gone. Left out is what cannot go into the survivor: what is
// pinned, of another project, collection or type, or too long with the rest.
func MergeGroup(group []Record) (survivor int, after Record, gone []int) {
	return mergeGroup(group, Survivor(group), samePlace)
}

// MergeFacts is [MergeGroup] for memories that said the same when they were found.
// A memory whose text was changed since, and differs in meaning from the survivor,
// is left out.
func MergeFacts(group []Record) (survivor int, after Record, gone []int) {
	return mergeGroup(group, Survivor(group), func(a, b Record) bool { return samePlace(a, b) && SameFact(a.Text, b.Text) })
}

// MergeAcross is [MergeFacts] for memories of several collections of a project.
// An unpinned short-term memory survives only in a group without a lasting one (a
// memory of another collection, or a pinned one).
func MergeAcross(group []Record) (survivor int, after Record, gone []int) {
	lasting := slices.DeleteFunc(slices.Clone(group), func(r Record) bool { return r.Collection == ShortTerm && !r.Pinned })
	survivor = Survivor(group)
	if i := Survivor(lasting); i >= 0 {
		survivor = slices.IndexFunc(group, func(r Record) bool { return r.ID == lasting[i].ID })
	}
	return mergeGroup(group, survivor, sameFactAnywhere)
}

// MergeInto is [MergeAcross] with a survivor that was chosen before, or nothing if it is not there.
func MergeInto(id string) func(group []Record) (survivor int, after Record, gone []int) {
	return func(group []Record) (survivor int, after Record, gone []int) {
		return mergeGroup(group, slices.IndexFunc(group, func(r Record) bool { return r.ID == id }), sameFactAnywhere)
	}
}

func samePlace(a, b Record) bool {
	return a.Project == b.Project && a.Collection == b.Collection && a.Type == b.Type
}

// sameFactAnywhere holds for one fact in any collections that are compared with each other.
func sameFactAnywhere(a, b Record) bool {
	return a.Project == b.Project && slices.Contains(Comparable(a.Collection), b.Collection) && SameFact(a.Text, b.Text)
}

func mergeGroup(group []Record, chosen int, goes func(survivor, other Record) bool) (survivor int, after Record, gone []int) {
	if chosen < 0 {
		return chosen, after, nil
	}
	first := group[chosen]
	after = first
	for i, r := range group {
		if i == chosen || r.Pinned || !goes(first, r) || !Mergeable(after, r) {
			continue
		}
		after, gone = Merge(after, r), append(gone, i)
	}
	return chosen, after, gone
}

// LeastSimilar returns the similarity of the least similar pair, 1 for fewer than two.
func LeastSimilar(records []Record) float64 {
	least := 1.0
	for i, a := range records {
		calibration := CalibrationFor(a.Model)
		for _, b := range records[i+1:] {
			least = min(least, calibration.Similarity(Cosine(a.Vector, b.Vector)))
		}
	}
	return least
}

// MergeTexts returns a with those sentences of b that a does not say, in the
// same or other words; see [SameFact]. They follow on a line of their own where either text has lines. Two texts that
// differ in white space alone are one.
func MergeTexts(a, b string) string {
	if NormalizeText(a) == NormalizeText(b) {
		return strings.TrimSpace(a)
	}
	said := saidIn(a, b)
	more, dropped := "", false
	for _, s := range sentencesOf(b) {
		key := sentenceKey(s)
		if key != "" && said.has(key, s) {
			dropped = true
			continue
		}
		said.keys[key] = true
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

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
