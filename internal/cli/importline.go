package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// importLine is what import reads of a line.
type importLine struct {
	Text       string   `json:"text"`
	Type       string   `json:"type"`
	Tags       []string `json:"tags"`
	Project    string   `json:"project"`
	Collection string   `json:"collection"`
	Importance *float64 `json:"importance"`
	Pinned     bool     `json:"pinned"`
	Session    string   `json:"session"`
	Position   int      `json:"position"`
	CreatedAt  string   `json:"created_at"`
	SourceRef  string   `json:"source_ref"`
}

// importKeys are the fields that are read.
func importKeys() []string {
	return []string{
		"text", "type", "tags", "project", "collection", "importance",
		"pinned", "session", "position", "created_at", "source_ref",
	}
}

// exportOnlyKeys are fields of an export that a new memory earns by itself.
func exportOnlyKeys() []string {
	return []string{
		"id", "confidence", "access_count", "last_accessed", "expires_at", "content_hash", "model",
		"state", "source", "user", "merged_into", "links",
	}
}

// parseLine reads one line as a memory in its clean form. unknown are fields
// that import does not know.
func parseLine(line []byte, defaults memory.StoreInput) (in memory.StoreInput, unknown []string, err error) {
	// encoding/json would quietly replace what is not UTF-8.
	if !utf8.Valid(line) {
		return in, nil, errors.New("is not valid UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return in, nil, jsonProblem(err)
	}
	if fields == nil {
		return in, nil, errors.New("is not a JSON object, but null")
	}
	for key := range fields {
		if !slices.Contains(importKeys(), key) && !slices.Contains(exportOnlyKeys(), key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	l, err := readFields(fields)
	if err != nil {
		return in, unknown, err
	}
	in = memory.StoreInput{
		Text: l.Text, Type: l.Type, Tags: l.Tags, Project: orText(strings.TrimSpace(l.Project), defaults.Project),
		Collection: l.Collection, Importance: l.Importance, Pinned: l.Pinned, Session: l.Session,
		Position: l.Position, SourceRef: l.SourceRef, Source: memory.SourceImport, User: defaults.User,
	}
	if l.CreatedAt != "" {
		t, err := memory.ParseDate(l.CreatedAt, time.UTC) // the same instant wherever the file is imported
		if err != nil {
			return in, unknown, fmt.Errorf("created_at: %w", err)
		}
		t = t.UTC()
		in.CreatedAt = &t
	}
	_, err = in.Clean()
	return in, unknown, err // as it came: the client redacts before tags are in lower case
}

// readFields decodes only what is known under its exact name: encoding/json
// by itself would take "Text" for "text".
func readFields(fields map[string]json.RawMessage) (importLine, error) {
	var l importLine
	targets := map[string]any{
		"text": &l.Text, "type": &l.Type, "tags": &l.Tags, "project": &l.Project, "collection": &l.Collection,
		"importance": &l.Importance, "pinned": &l.Pinned, "session": &l.Session, "position": &l.Position, "created_at": &l.CreatedAt,
		"source_ref": &l.SourceRef,
	}
	for _, key := range importKeys() {
		raw, ok := fields[key]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, targets[key]); err != nil {
			return l, fmt.Errorf("%s: %w", key, jsonProblem(err))
		}
	}
	if _, ok := fields["text"]; !ok {
		return l, errors.New(`has no "text"`)
	}
	return l, nil
}

// jsonProblem says without Go's words what is wrong with JSON.
func jsonProblem(err error) error {
	var typ *json.UnmarshalTypeError
	if !errors.As(err, &typ) {
		return fmt.Errorf("is not JSON: %w", err)
	}
	want := map[string]string{
		"string": "text", "[]string": "a list of texts", "float64": "a number",
		"int": "a whole number", "bool": "true or false", "map[string]json.RawMessage": "a JSON object",
	}[typ.Type.String()]
	return fmt.Errorf("must be %s, not %s", orText(want, typ.Type.String()), typ.Value)
}

// nextLine returns the next line without its end, whether it was longer than
// limit bytes (then it is empty), and io.EOF after the last.
func nextLine(r *bufio.Reader, limit int) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(bytes.TrimSuffix(line, []byte("\n"))) > limit {
			line, long = nil, true
		}
		switch {
		case err == nil:
			return bytes.TrimSpace(line), long, nil
		case errors.Is(err, io.EOF):
			if len(line) == 0 && !long {
				return nil, false, io.EOF
			}
			return bytes.TrimSpace(line), long, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, long, err
		}
	}
}
