package importer

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxFront bounds the front matter of a note.
const maxFront = 64 << 10

// front is the front matter of a note: what stands between two lines of --- at its beginning.
type front struct {
	title       string
	description string
	kind        string
	tags        []string
	created     *time.Time
	importance  *float64
	permalink   string
	others      int // fields that mneme has no place for
}

// frontMatter returns the front matter of a text and what follows it. A text whose front
// matter is not YAML has none: it is text.
func frontMatter(text string) (front, string) {
	var f front
	text = strings.TrimPrefix(text, "\uFEFF")
	rest, ok := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !ok {
		return f, text
	}
	raw, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if raw, ok = strings.CutSuffix("\n"+strings.TrimRight(rest, "\n"), "\n---"); !ok {
			return f, text
		}
		body = ""
	}
	var fields map[string]any
	if len(raw) > maxFront || yaml.Unmarshal([]byte(raw), &fields) != nil {
		return f, text
	}
	for key, value := range fields {
		f.set(strings.ToLower(strings.TrimSpace(key)), value)
	}
	return f, body
}

func (f *front) set(key string, value any) {
	word := ""
	if value != nil {
		word = oneLine(fmt.Sprint(value))
	}
	switch key {
	case "title", "name":
		if f.title == "" || key == "title" {
			f.title = word
		}
	case "description":
		f.description = word
	case "type":
		f.kind = word
	case "permalink":
		f.permalink = word
	case "tags", "tag", "keywords":
		f.tags = append(f.tags, words(value)...)
	case "date", "created", "created_at":
		if t, ok := moment(value); ok && f.created == nil {
			f.created = at(t)
		}
	case "importance":
		if n, ok := number(value); ok && n >= 0 && n <= 1 {
			f.importance = &n
		} else {
			f.others++
		}
	default:
		f.others++
	}
}

// words are a list of words, or those of a text between commas.
func words(value any) []string {
	switch v := value.(type) {
	case []any:
		var out []string
		for _, w := range v {
			if w != nil {
				out = append(out, strings.TrimPrefix(fmt.Sprint(w), "#"))
			}
		}
		return out
	case string:
		var out []string
		for w := range strings.SplitSeq(v, ",") {
			out = append(out, strings.TrimPrefix(strings.TrimSpace(w), "#"))
		}
		return out
	default:
		return nil
	}
}

func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	default:
		return 0, false
	}
}

// moments are the ways in which other tools write a moment.
var moments = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006/01/02",
}

// moment reads a date of another tool: as text, or as seconds or milliseconds since 1970.
func moment(value any) (time.Time, bool) {
	switch v := value.(type) {
	case time.Time:
		return v, true
	case string:
		for _, layout := range moments {
			if t, err := time.Parse(layout, strings.TrimSpace(v)); err == nil {
				return t, true
			}
		}
		return time.Time{}, false
	}
	n, ok := number(value)
	switch {
	case !ok || n <= 0 || n > 1e14:
		return time.Time{}, false
	case n > 1e11:
		return time.UnixMilli(int64(n)), true
	default:
		return time.Unix(0, int64(n*1e9)), true
	}
}
