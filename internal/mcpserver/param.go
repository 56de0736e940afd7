package mcpserver

import (
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/memory"
)

// kind is the JSON shape of a parameter.
type kind int

const (
	kindString kind = iota
	kindStrings
	kindSteps // a list of strings; one string counts as a list of one
	kindInteger
	kindNumber
	kindBool
	kindLinks // a list of {target_id, link_type}
)

// idPattern is how [memory.NewID] writes an id.
const idPattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"

// param describes one parameter. The schema the client sees and the check of
// what it sends are both made of it, so they cannot differ.
type param struct {
	name     string
	kind     kind
	about    string
	required bool
	min, max float64  // of a number
	def      any      // default shown in the schema; nil shows none
	maxLen   int      // bytes of a string or of each item
	items    int      // most items of a list
	enum     []string // of a string or of each item
	id       bool     // a memory's id, or a list of them
	date     bool     // a date or an RFC 3339 time
}

// schema returns the parameter's JSON Schema.
func (p param) schema() map[string]any {
	m := map[string]any{}
	if p.about != "" {
		m["description"] = p.about
	}
	switch p.kind {
	case kindString:
		m["type"] = "string"
		p.bounds(m)
	case kindStrings, kindSteps, kindLinks:
		p.list(m)
	case kindInteger, kindNumber:
		m["type"] = "number"
		if p.kind == kindInteger {
			m["type"] = "integer"
		}
		m["minimum"], m["maximum"] = p.min, p.max
	case kindBool:
		m["type"] = "boolean"
	}
	if p.def != nil {
		m["default"] = p.def
	}
	return m
}

// bounds puts a string's bounds into its schema.
func (p param) bounds(m map[string]any) {
	switch {
	case p.id:
		m["pattern"] = idPattern
	case p.enum != nil:
		m["enum"] = p.enum
	default:
		m["maxLength"] = p.maxLen
		if p.required {
			m["minLength"] = 1
		}
	}
}

func (p param) list(m map[string]any) {
	m["type"], m["maxItems"] = "array", p.items
	if p.required {
		m["minItems"] = 1
	}
	if p.kind == kindLinks {
		target, link := targetParam(), linkTypeParam()
		m["items"] = object([]param{target, link})
		return
	}
	item := map[string]any{"type": "string"}
	p.bounds(item)
	m["items"] = item
	if p.kind == kindSteps {
		m["type"] = []string{"array", "string"}
	}
}

// object returns the JSON Schema of an object of just these parameters.
func object(params []param) mcp.ToolInputSchema {
	s := mcp.ToolInputSchema{Type: "object", Properties: map[string]any{}, AdditionalProperties: false}
	for _, p := range params {
		s.Properties[p.name] = p.schema()
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

// The parameters that several tools share.

func textParam(name, about string, maxLen int) param {
	return param{name: name, kind: kindString, about: about, required: true, maxLen: maxLen}
}

func tagsParam(about string) param {
	return param{name: "tags", kind: kindStrings, about: about, items: memory.MaxTags, maxLen: memory.MaxTagBytes}
}

func projectParam(about string) param {
	return param{name: "project", kind: kindString, about: about, maxLen: memory.MaxNameBytes}
}

func idParam(name, about string, required bool) param {
	return param{name: name, kind: kindString, about: about, required: required, id: true}
}

func targetParam() param { return idParam("target_id", "", true) }

func linkTypeParam() param {
	return param{name: "link_type", kind: kindString, required: true, enum: memory.LinkTypes()}
}

// typeParam has no default where def is empty.
func typeParam(def string) param {
	p := param{name: "type", kind: kindString, about: "what kind of statement it is", enum: memory.Types()}
	if def != "" {
		p.def = def
	}
	return p
}

func collectionParam(about string) param {
	return param{name: "collection", kind: kindString, about: about, enum: memory.Collections()}
}

func collectionsParam() param {
	return param{
		name: "collections", kind: kindStrings, about: "only these; all when left out",
		enum: memory.Collections(), items: len(memory.Collections()),
	}
}

func limitParam(most, def int) param {
	return param{
		name: "limit", kind: kindInteger, min: 1, max: float64(most), def: def,
		about: fmt.Sprintf("most results, 1 to %d", most),
	}
}

func minScoreParam() param {
	return param{
		name: "min_score", kind: kindNumber, min: 0, max: 1,
		about: "leave out what scores less; above 0.7 is strong",
	}
}

func dryRunParam() param {
	return param{name: "dry_run", kind: kindBool, about: "only show what would happen", def: false}
}
