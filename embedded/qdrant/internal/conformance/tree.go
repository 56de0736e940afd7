package conformance

import (
	"encoding/json"
	"strconv"
	"strings"
)

// decode parses JSON and keeps numbers as they are written.
func decode(data json.RawMessage) any {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil
	}
	return v
}

// text is the JSON of a value, its keys sorted.
func text(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// find follows a path of field names and list positions, as in "result.0.id".
func find(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// remove deletes what a path leads to; "*" stands for every item of a list.
func remove(v any, path []string) {
	switch node := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(node, path[0])
			return
		}
		remove(node[path[0]], path[1:])
	case []any:
		for i, child := range node {
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				remove(child, path[1:])
			}
		}
	}
}
