package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Detect tells the format of a file by what is in it. What is no known export is JSON lines if
// it begins like JSON, else Markdown.
func Detect(path string, data []byte) string {
	if isMarkdown(path) {
		return Markdown
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	start := bytes.TrimLeft(data, " \t\r\n")
	if len(start) == 0 || start[0] != '{' && start[0] != '[' {
		if strings.HasSuffix(strings.ToLower(path), ".jsonl") || len(start) == 0 || bytes.IndexByte(start, 0) >= 0 {
			return JSONLines
		}
		return Markdown
	}
	return detectJSON(start)
}

// detectJSON looks at the names of the first object: the whole, or the first of the list.
func detectJSON(data []byte) string {
	dec := json.NewDecoder(bytes.NewReader(data))
	token, err := dec.Token()
	if err != nil {
		return JSONLines
	}
	if token == json.Delim('[') {
		if token, err = dec.Token(); err != nil || token != json.Delim('{') {
			return JSONLines
		}
	}
	names := map[string]bool{}
	first := ""
	for {
		token, err = dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			break
		}
		names[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			break
		}
		if name == "type" {
			_ = json.Unmarshal(value, &first) // else it is another type
		}
	}
	return formatOf(names, first)
}

// formatOf names the format whose objects have such names.
func formatOf(names map[string]bool, kind string) string {
	has := func(all ...string) bool {
		for _, n := range all {
			if !names[n] {
				return false
			}
		}
		return true
	}
	switch {
	case kind == "entity" && has("name", "entityType"), kind == "relation" && has("from", "to"),
		has("entities", "relations"):
		return ServerMemory
	case has("observations", "totalObservations"), has("observations", "summaries"), has("memory_session_id", "title"):
		return ClaudeMem
	case has("text"):
		return JSONLines
	case has("number", "title"), has("html_url", "title"):
		return GitHub
	case has("export_metadata", "memories"), has("total_memories", "memories"), has("content", "content_hash"):
		return MCPMemory
	case has("results"), has("memories"), has("records"), has("data"), has("memory"), has("id", "content"):
		return Mem0
	default:
		return JSONLines
	}
}

// values calls do with each JSON value in data, which holds one value or several in a row. For a list,
// values calls do with each element of the list. Where counts the calls from 1. At the first place that
// is not valid JSON, values stops and returns an error.
func values(data []byte, do func(where int, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	for n := 0; ; {
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return notJSON(err, dec.InputOffset())
		}
		list := []json.RawMessage{value}
		if value[0] == '[' {
			list = nil
			if err := json.Unmarshal(value, &list); err != nil {
				return notJSON(err, dec.InputOffset())
			}
		}
		for _, v := range list {
			n++
			if err := do(n, v); err != nil {
				return err
			}
		}
	}
}
