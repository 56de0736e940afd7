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
	Text          string           `json:"text"`
	Type          string           `json:"type"`
	Tags          []string         `json:"tags"`
	Project       string           `json:"project"`
	Collection    string           `json:"collection"`
	Importance    *float64         `json:"importance"`
	Pinned        bool             `json:"pinned"`
	Session       string           `json:"session"`
	Position      int              `json:"position"`
	CreatedAt     string           `json:"created_at"`
	SourceRef     string           `json:"source_ref"`
	ID            any              `json:"id"` // that of another program may be a number
	Confidence    *float64         `json:"confidence"`
	AccessCount   int              `json:"access_count"`
	Confirmations int              `json:"confirmations"`
	LastAccessed  string           `json:"last_accessed"`
	ArrivedAt     string           `json:"arrived_at"`
	UpdatedAt     string           `json:"updated_at"`
	DecayedAt     string           `json:"decayed_at"`
	ExpiresAt     string           `json:"expires_at"`
	Source        string           `json:"source"`
	Links         []exportLinkJSON `json:"links"`
}

// parsedLine is a line that can be imported.
type parsedLine struct {
	in      memory.StoreInput
	end     memory.LinkEnd        // names the memory of a line of an export for links
	links   []memory.ExportedLink // from there; their targets have no text yet
	unknown []string              // fields that import does not know
}

// importKeys are the fields that are read of every line.
func importKeys() []string {
	return []string{
		"text", "type", "tags", "project", "collection", "importance",
		"pinned", "session", "position", "created_at", "source_ref",
	}
}

// exportKeys are further fields of a line that "mneme export" wrote. Such a line has an id of mneme and
// a confidence; in lines without the two these fields are ignored.
func exportKeys() []string {
	return []string{
		"id", "confidence", "access_count", "confirmations", "last_accessed", "arrived_at",
		"updated_at", "decayed_at", "expires_at", "source", "links",
	}
}

// exportOnlyKeys are fields of an export that follow from others: from the text, and from the model
// of the home that imports.
func exportOnlyKeys() []string { return []string{"content_hash", "model"} }

// parseLine reads one line as a memory. Redactor, if there is one, takes out what the servers will take
// out, so that a line is refused here whose names are too long then.
func parseLine(line []byte, defaults memory.StoreInput, redactor memory.Redactor) (p parsedLine, err error) {
	// encoding/json would quietly replace what is not UTF-8.
	if !utf8.Valid(line) {
		return p, errors.New("is not valid UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return p, jsonProblem(err)
	}
	if fields == nil {
		return p, errors.New("is not a JSON object, but null")
	}
	known := slices.Concat(importKeys(), exportKeys(), exportOnlyKeys())
	for key := range fields {
		if !slices.Contains(known, key) {
			p.unknown = append(p.unknown, key)
		}
	}
	slices.Sort(p.unknown)
	l, err := readFields(fields)
	if err != nil {
		return p, err
	}
	p.in = memory.StoreInput{
		Text: l.Text, Type: l.Type, Tags: l.Tags, Project: orText(strings.TrimSpace(l.Project), defaults.Project),
		Collection: l.Collection, Importance: l.Importance, Pinned: l.Pinned, Session: l.Session,
		Position: l.Position, SourceRef: l.SourceRef, Source: memory.SourceImport, User: defaults.User,
	}
	if err := dates(dateField{"created_at", l.CreatedAt, &p.in.CreatedAt}); err != nil {
		return p, err
	}
	if exportedLine(fields) {
		if p.in.Exported, err = l.exported(); err != nil {
			return p, err
		}
	}
	clean, err := p.in.Clean()
	if err == nil && redactor != nil {
		clean, err = memory.Admit(redactor, p.in)
	}
	if err == nil && p.in.Exported != nil {
		p.end = endOf(clean)
		p.links, err = l.links(p.end)
	}
	return p, err // the input as it came: the client redacts before tags are in lower case
}

// exportedLine reports whether "mneme export" wrote a line.
func exportedLine(fields map[string]json.RawMessage) bool {
	var id string
	_, confident := fields["confidence"]
	return confident && json.Unmarshal(fields["id"], &id) == nil && memory.ValidID(id)
}

// exported is what only an export says.
func (l importLine) exported() (*memory.Exported, error) {
	id, _ := l.ID.(string)
	x := &memory.Exported{
		ID: id, Confidence: memory.StartConfidence, AccessCount: l.AccessCount,
		Confirmations: l.Confirmations, Source: l.Source,
	}
	if l.Confidence != nil {
		x.Confidence = *l.Confidence
	}
	return x, dates(
		dateField{"last_accessed", l.LastAccessed, &x.LastAccessed}, dateField{"arrived_at", l.ArrivedAt, &x.ArrivedAt},
		dateField{"updated_at", l.UpdatedAt, &x.UpdatedAt}, dateField{"decayed_at", l.DecayedAt, &x.DecayedAt},
		dateField{"expires_at", l.ExpiresAt, &x.ExpiresAt},
	)
}

// links are those of a line of an export.
func (l importLine) links(from memory.LinkEnd) ([]memory.ExportedLink, error) {
	out := make([]memory.ExportedLink, 0, len(l.Links))
	for _, k := range l.Links {
		link, err := memory.ExportedLink{
			Source: from, Target: memory.LinkEnd{ID: k.TargetID}, Type: k.Type, CreatedAt: k.CreatedAt,
		}.Clean()
		if err != nil {
			return nil, fmt.Errorf("links: %w", err)
		}
		out = append(out, link)
	}
	return out, nil
}

// endOf names the memory of an exported line for its links.
func endOf(in memory.StoreInput) memory.LinkEnd {
	return memory.LinkEnd{
		ID: in.Exported.ID, Project: in.Project, Collection: in.Collection, Hash: memory.ContentHash(in.Text),
	}
}

// dateField is a date of a line, and where it goes.
type dateField struct {
	name, text string
	to         **time.Time
}

func dates(fields ...dateField) error {
	for _, f := range fields {
		if f.text == "" {
			continue
		}
		t, err := memory.ParseDate(f.text, time.UTC) // the same instant wherever the file is imported
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		t = t.UTC()
		*f.to = &t
	}
	return nil
}

// readFields decodes only what is known under its exact name: encoding/json
// by itself would take "Text" for "text".
func readFields(fields map[string]json.RawMessage) (importLine, error) {
	var l importLine
	targets := map[string]any{
		"text": &l.Text, "type": &l.Type, "tags": &l.Tags, "project": &l.Project, "collection": &l.Collection,
		"importance": &l.Importance, "pinned": &l.Pinned, "session": &l.Session, "position": &l.Position, "created_at": &l.CreatedAt,
		"source_ref": &l.SourceRef, "id": &l.ID, "confidence": &l.Confidence, "access_count": &l.AccessCount,
		"confirmations": &l.Confirmations, "last_accessed": &l.LastAccessed, "arrived_at": &l.ArrivedAt,
		"updated_at": &l.UpdatedAt, "decayed_at": &l.DecayedAt, "expires_at": &l.ExpiresAt, "source": &l.Source, "links": &l.Links,
	}
	keys := importKeys()
	if exportedLine(fields) {
		keys = append(keys, exportKeys()...)
	}
	for _, key := range keys {
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
		"[]cli.exportLinkJSON": "a list of links", "cli.exportLinkJSON": "a JSON object",
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
