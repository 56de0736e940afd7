package difference

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// Line describes one change of a version: a field with its old and its new value.
type Line struct {
	What   string  // the field, such as "tags"; "" for the text and the state
	From   string  // its value before; "" when Pieces tell of the text
	To     string  // its value after
	Pieces []Piece // of the text
}

// Of returns what a version changed, the state and the text first. It is never empty.
func Of(v memory.Version) []Line {
	switch {
	case v.After == nil:
		return []Line{{To: "removed"}}
	case v.Before == nil:
		return []Line{{To: string(v.After.State), Pieces: Words(v.After.Text, v.After.Text)}}
	}
	b, c := *v.Before, *v.After
	var out []Line
	if b.State != c.State {
		out = append(out, Line{From: string(b.State), To: stateText(c)})
	}
	if b.Text != c.Text && c.Text != "" {
		before := b.Text
		if before == "" { // it was purged, or not kept
			before = c.Text
		}
		out = append(out, Line{Pieces: Words(before, c.Text)})
	}
	for _, f := range []struct{ what, from, to string }{
		{"collection", b.Collection, c.Collection},
		{"type", b.Type, c.Type},
		{"tags", strings.Join(b.Tags, ","), strings.Join(c.Tags, ",")},
		{"importance", fmt.Sprint(b.Importance), fmt.Sprint(c.Importance)},
		{"pinned", fmt.Sprint(b.Pinned), fmt.Sprint(c.Pinned)},
		{"confidence", fmt.Sprintf("%.2f", b.Confidence), fmt.Sprintf("%.2f", c.Confidence)},
		{"from", b.SourceRef, c.SourceRef},
		{"model", b.Model, c.Model},
	} {
		if f.from != f.to {
			out = append(out, Line{What: f.what, From: orNone(f.from), To: orNone(f.to)})
		}
	}
	if len(out) == 0 {
		out = append(out, Line{To: "details changed"})
	}
	return out
}

func stateText(m memory.Memory) string {
	if m.MergedInto != "" {
		return "merged into " + m.MergedInto
	}
	return string(m.State)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
