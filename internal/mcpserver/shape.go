package mcpserver

import (
	"encoding/json"
	"math"
	"time"

	"github.com/mneme-memory/mneme/internal/untrusted"
	"github.com/mneme-memory/mneme/memory"
)

// maxResultBytes bounds the JSON of an answer that lists memories. Every
// character of it is paid for by the model on every further request.
const maxResultBytes = 9_800

// textCaps are the lengths tried, longest first, until a list of texts fits.
// What does not fit at the last one is omitted from the end.
func textCaps() []int { return []int{2_000, 1_200, 800, 500, 300} }

// cleanText is how the model sees a stored text.
func cleanText(s string) string { return untrusted.Text(s) }

// cut shortens s to at most most bytes at the end of a word and reports
// whether it did.
func cut(s string, most int) (string, bool) {
	return memory.Clip(s, most), len(s) > most
}

// hit is a found memory as the model sees it.
type hit struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"`
	Date      string `json:"date"`
	Strong    bool   `json:"strong"`
	// SupersededBy is the short id of what says that this is no longer so.
	SupersededBy string      `json:"superseded_by,omitempty"`
	Why          *memory.Why `json:"why,omitempty"`      // with explain
	Question     int         `json:"question,omitempty"` // of several, from 1
	Project      string      `json:"project,omitempty"`  // where it is not the one that was asked
}

// newHit says where a memory is from only if it is not from the project that
// was asked: what holds everywhere weighs more, what is foreign less.
func newHit(h memory.Hit, asked string) hit {
	elsewhere := ""
	if h.Project != asked {
		elsewhere = cleanText(h.Project)
	}
	by := ""
	if h.SupersededBy != nil {
		by = memory.ShortID(h.SupersededBy.ID)
	}
	return hit{
		SupersededBy: by,
		ID:           memory.ShortID(h.ID), Text: cleanText(h.Text), Truncated: h.Truncated, Project: elsewhere, Question: h.Question, Why: h.Why,
		Date: h.CreatedAt.UTC().Format(time.DateOnly), Strong: h.Strong,
	}
}

// fit shortens and omits until the JSON of an answer that holds items is
// within [maxResultBytes]. shorten returns an item with its text cut; rest is
// the size of what surrounds the items. It returns the items kept and how
// many were left out.
func fit[T any](items []T, rest int, shorten func(item T, most int) T) ([]T, int) {
	room := maxResultBytes - rest
	var kept []T
	for _, most := range textCaps() {
		kept = make([]T, 0, len(items))
		left := room
		for _, item := range items {
			item = shorten(item, most)
			if left -= jsonSize(item) + 1; left < 0 {
				break
			}
			kept = append(kept, item)
		}
		if len(kept) == len(items) {
			return kept, 0
		}
	}
	return kept, len(items) - len(kept)
}

// jsonSize is the length of v's JSON. What the model is shown is no longer:
// Go escapes more than JavaScript does.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return maxResultBytes // cannot be shown, so it takes all the room
	}
	return len(b)
}

// shortIDs are ids as the model sees them.
func shortIDs(ids []string) []string {
	var out []string
	for _, id := range ids {
		out = append(out, memory.ShortID(id))
	}
	return out
}

func cleanTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		out = append(out, cleanText(t))
	}
	return out
}

// round keeps four digits: more say nothing and cost tokens.
func round(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0 // JSON has no such number
	}
	return math.Round(f*1e4) / 1e4
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
