package importer

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func notJSON(err error, offset int64) error {
	return memory.Errorf(memory.Invalid, "export it again; the file may be cut off",
		"after %d bytes the file is not JSON: %w", offset, err)
}

// object is an object of another tool, by the exact names of its fields.
type object map[string]any

// asObject reads a value as an object, or reports that it is none.
func asObject(value json.RawMessage) (object, bool) {
	var o object
	err := json.Unmarshal(value, &o)
	return o, err == nil && o != nil
}

// text returns the first of some fields that is a text with something in it.
func (o object) text(names ...string) string {
	for _, n := range names {
		if s, ok := o[n].(string); ok && strings.TrimSpace(s) != "" {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

func (o object) object(name string) object {
	inner, _ := o[name].(map[string]any)
	return inner
}

// objects are the objects in a list.
func (o object) objects(name string) []object {
	list, _ := o[name].([]any)
	var out []object
	for _, v := range list {
		if inner, ok := v.(map[string]any); ok {
			out = append(out, inner)
		}
	}
	return out
}

// list returns a list of words: as such, as JSON in a text, or between commas.
func (o object) list(name string) []string {
	if s, ok := o[name].(string); ok {
		var inner []any
		if strings.HasPrefix(strings.TrimSpace(s), "[") && json.Unmarshal([]byte(s), &inner) == nil {
			return words(inner)
		}
	}
	return words(o[name])
}

// lines is like list, but commas belong to the text.
func (o object) lines(name string) []string {
	s, ok := o[name].(string)
	if !ok {
		return o.list(name)
	}
	var inner []any
	if strings.HasPrefix(strings.TrimSpace(s), "[") && json.Unmarshal([]byte(s), &inner) == nil {
		return words(inner)
	}
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return []string{s}
}

// date returns the first of some fields that is a date.
func (o object) date(names ...string) *time.Time {
	for _, n := range names {
		if t, ok := moment(o[n]); ok {
			return at(t)
		}
	}
	return nil
}
