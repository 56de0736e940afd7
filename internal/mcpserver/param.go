package mcpserver

import (
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/memory"
)

// kind is the JSON shape of a parameter.
type kind int

const (
	kindString kind = iota
	kindStrings
	kindSteps // a list of strings; one string counts as a list of one
	kindTexts // a string, or a list of them
	kindInteger
	kindNumber
	kindBool
	kindLinks // a list of {target_id, link_type}
)

// param describes one parameter. The client's schema and the check of its
// arguments are both made from a param, so they cannot differ.
//
// The schema names no bounds: every session pays for each character of it,
// Claude Code does not check bounds, and an error names a bound that is
// exceeded.
type param struct {
	name     string
	kind     kind
	about    string
	asked    string // what is told to give when it is missing; about, if empty
	required bool
	min, max float64  // of a number
	def      any      // default shown in the schema; nil shows none
	maxLen   int      // bytes of a string or of each item
	items    int      // most items of a list
	enum     []string // of a string or of each item
	unlisted bool     // the enum is not in the schema; an unknown value is answered with it
	rare     bool     // understood, and not in the schema: a tool that has them lists it, or docs/claude-code.md
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
		p.word(m)
	case kindStrings, kindSteps, kindLinks:
		m["type"], m["items"] = "array", p.item()
	case kindTexts:
		m["type"], m["items"] = []string{"string", "array"}, p.item()
	case kindInteger:
		m["type"] = "integer"
	case kindNumber:
		m["type"] = "number"
	case kindBool:
		m["type"] = "boolean"
	}
	if p.def != nil {
		m["default"] = p.def
	}
	return m
}

// word makes m the schema of a string, with the values it may have.
func (p param) word(m map[string]any) {
	m["type"] = "string"
	if p.enum != nil && !p.unlisted {
		m["enum"] = p.enum
	}
}

// item is the schema of what a list holds.
func (p param) item() any {
	if p.kind == kindLinks {
		return object([]param{targetParam(), linkTypeParam()})
	}
	item := map[string]any{}
	p.word(item)
	return item
}

// object returns the JSON Schema of an object of these parameters.
func object(params []param) mcp.ToolInputSchema {
	s := mcp.ToolInputSchema{Type: "object", Properties: map[string]any{}}
	for _, p := range params {
		if p.rare {
			continue
		}
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
	p := param{name: "type", kind: kindString, enum: memory.Types()}
	if def != "" {
		p.def = def
	}
	return p
}

func typesParam() param {
	return param{name: "types", kind: kindStrings, enum: memory.Types(), items: len(memory.Types())}
}

// maxDateBytes bounds how a date is written.
const maxDateBytes = 40

// unlisted leaves the values of an enum out of the schema.
func unlisted(p param) param {
	p.unlisted = true
	return p
}

// asking makes a parameter that was left out be asked for in other words than
// the schema has, which each session pays for.
func asking(what string, p param) param {
	p.asked = what
	return p
}

// rare leaves a parameter out of the schema.
func rare(p param) param {
	p.rare = true
	return p
}

func collectionParam(about string) param {
	return param{name: "collection", kind: kindString, about: about, enum: memory.Collections()}
}

func collectionsParam() param {
	return param{name: "collections", kind: kindStrings, enum: memory.Collections(), items: len(memory.Collections())}
}

func limitParam(most int) param {
	return param{name: "limit", kind: kindInteger, min: 1, max: float64(most)}
}

func minScoreParam() param {
	return param{name: "min_score", kind: kindNumber, min: 0, max: 1, about: "0-1"}
}

func dryRunParam() param {
	return param{name: "dry_run", kind: kindBool, about: "only look"}
}
