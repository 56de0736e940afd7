package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// decode checks raw arguments against params and fills in into, a pointer to
// a struct with their names as JSON tags. Parameters that are null count as
// left out. Errors are [memory.Invalid] and say what to change.
func decode(raw []byte, params []param, into any) error {
	values, err := check(raw, params)
	if err != nil {
		return err
	}
	// Encoded again because a checked value may differ from what was sent:
	// 5.0 is a whole number, one step is a list of one.
	clean, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("encode checked arguments: %w", err)
	}
	if err := json.Unmarshal(clean, into); err != nil {
		return fmt.Errorf("decode checked arguments: %w", err)
	}
	return nil
}

// check returns the values of an object that satisfies params.
func check(raw []byte, params []param) (map[string]any, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	if !utf8.Valid(raw) {
		return nil, memory.Errorf(memory.Invalid, "convert the text to UTF-8 first", "the arguments are not valid UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, memory.Errorf(memory.Invalid, "known parameters: "+names(params), "the arguments must be a JSON object")
	}
	values := make(map[string]any, len(fields))
	for _, p := range params {
		field, given := fields[p.name]
		delete(fields, p.name)
		if !given || string(field) == "null" {
			if p.required {
				return nil, missing(p, fields, params)
			}
			continue
		}
		v, err := p.value(field)
		if err != nil {
			return nil, err
		}
		values[p.name] = v
	}
	return values, unknownFields(fields, params)
}

// missing says what p is for, and what may have been meant for it.
func missing(p param, left map[string]json.RawMessage, params []param) error {
	hint := p.asks()
	for _, other := range params {
		delete(left, other.name)
	}
	if err := unknownFields(left, params); err != nil {
		hint += "; " + err.Error()
	}
	return memory.Errorf(memory.Invalid, hint, "%s is missing", p.name)
}

func unknownFields(left map[string]json.RawMessage, params []param) error {
	if len(left) == 0 {
		return nil
	}
	var unknown []string
	for name := range left {
		unknown = append(unknown, fmt.Sprintf("%q", memory.Clip(name, memory.MaxRepeated)))
	}
	slices.Sort(unknown)
	unknown = unknown[:min(len(unknown), 5)]
	return memory.Errorf(memory.Invalid, "known parameters: "+names(params), "there is no parameter %s", strings.Join(unknown, ", "))
}

func names(params []param) string {
	list := make([]string, 0, len(params))
	for _, p := range params {
		list = append(list, p.name)
	}
	return strings.Join(list, ", ")
}

// value decodes and checks one parameter.
func (p param) value(raw json.RawMessage) (any, error) {
	switch p.kind {
	case kindInteger, kindNumber:
		return p.number(raw)
	case kindBool:
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, p.wrong(raw)
		}
		return b, nil
	case kindLinks:
		return p.links(raw)
	case kindStrings, kindSteps, kindTexts:
		return p.strings(raw)
	default:
		return p.text(raw)
	}
}

func (p param) text(raw json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", p.wrong(raw)
	}
	if err := intact(p.name, raw, s); err != nil {
		return "", err
	}
	if s == "" && !p.required {
		return "", nil // models fill optional parameters with empty strings
	}
	return s, p.checkText(s)
}

// checkText checks one decoded string against the parameter's bounds.
func (p param) checkText(s string) error {
	switch {
	case p.id:
		if err := memory.CheckRef(s); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	case p.enum != nil && !slices.Contains(p.enum, s):
		return memory.Errorf(memory.Invalid, "use one of "+strings.Join(p.enum, ", "), "there is no %s %q", singular(p.name), memory.Clip(s, memory.MaxRepeated))
	case p.date:
		if _, err := parseDate(p.name, s); err != nil {
			return memory.Errorf(memory.Invalid, memory.HintOf(err), "%w", err)
		}
	case p.maxLen > 0 && len(s) > p.maxLen:
		hint := "shorten it"
		if p.maxLen > memory.MaxQueryBytes {
			hint += ", or store it as several facts, each in a few sentences"
		}
		return memory.Errorf(memory.Invalid, hint, "%s has %d bytes, the limit is %d", p.name, len(s), p.maxLen)
	case strings.ContainsRune(s, 0):
		return memory.Errorf(memory.Invalid, "remove the NUL bytes; is this a binary file?", "%s holds NUL bytes", p.name)
	case p.required && strings.TrimSpace(s) == "":
		return memory.Errorf(memory.Invalid, p.asks(), "%s is empty", p.name)
	}
	return nil
}

// intact refuses a string that JSON decoding had to mend: half of a surrogate
// pair becomes U+FFFD, and the text would not be what was sent.
func intact(name string, raw json.RawMessage, s string) error {
	lower := bytes.ToLower(raw)
	sent := bytes.Count(raw, []byte("\uFFFD")) + bytes.Count(lower, []byte(`\ufffd`))
	if strings.Count(s, "\uFFFD") > sent {
		return memory.Errorf(memory.Invalid, "convert it to UTF-8 first", "%s holds half of a character (a lone surrogate)", name)
	}
	return nil
}

func (p param) strings(raw json.RawMessage) ([]string, error) {
	var items []json.RawMessage
	alone := false
	if json.Unmarshal(raw, &items) != nil {
		var one string
		if p.kind == kindStrings || json.Unmarshal(raw, &one) != nil {
			return nil, p.wrong(raw)
		}
		items, alone = []json.RawMessage{raw}, p.kind == kindTexts
	}
	if len(items) > p.items {
		return nil, memory.Errorf(memory.Invalid, "keep the ones that matter", "%s has %d items, the limit is %d", p.name, len(items), p.items)
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		one := p
		one.kind, one.required = kindString, p.kind != kindStrings
		if !alone {
			one.name = fmt.Sprintf("%s[%d]", p.name, i)
		}
		s, err := one.text(item)
		if err != nil {
			return nil, err
		}
		if s != "" {
			list = append(list, s)
		}
	}
	if p.required && len(list) == 0 {
		return nil, memory.Errorf(memory.Invalid, "give "+p.wants(), "%s is empty", p.name)
	}
	return list, nil
}

func (p param) number(raw json.RawMessage) (any, error) {
	var f float64
	if json.Unmarshal(raw, &f) != nil {
		return nil, p.wrong(raw)
	}
	if p.kind == kindInteger && f != math.Trunc(f) {
		return nil, memory.Errorf(memory.Invalid, "give "+p.wants(), "%s must be a whole number, got %v", p.name, f)
	}
	if f < p.min || f > p.max {
		hint := "give " + p.wants()
		if p.def != nil {
			hint = fmt.Sprintf("leave it out for %v", p.def)
		}
		return nil, memory.Errorf(memory.Invalid, hint, "%s must be %v to %v, got %v", p.name, p.min, p.max, f)
	}
	if p.kind == kindInteger {
		return int(f), nil
	}
	return f, nil
}

func (p param) links(raw json.RawMessage) (any, error) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, p.wrong(raw)
	}
	if len(items) > p.items {
		return nil, memory.Errorf(memory.Invalid, "link the ones that matter", "%s has %d items, the limit is %d", p.name, len(items), p.items)
	}
	list := make([]map[string]any, 0, len(items))
	for i, item := range items {
		v, err := check(item, []param{targetParam(), linkTypeParam()})
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", p.name, i, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// wrong is the error for a value of another JSON type.
func (p param) wrong(raw json.RawMessage) error {
	hint := "give " + p.wants()
	if (p.kind == kindInteger || p.kind == kindNumber || p.kind == kindBool) && raw[0] == '"' {
		hint += ", without quotes"
	}
	return memory.Errorf(memory.Invalid, hint, "%s must be %s, got %s", p.name, p.wants(), memory.Clip(string(raw), memory.MaxRepeated))
}

// asks says what to give for a parameter that was left out.
func (p param) asks() string {
	switch {
	case p.asked != "":
		return "give " + p.asked
	case p.kind == kindString && !p.id && p.enum == nil && p.about != "":
		return "give " + p.about
	default:
		return "give " + p.wants()
	}
}

// wants says in words what the parameter takes.
func (p param) wants() string {
	switch {
	case p.kind == kindInteger:
		return fmt.Sprintf("a whole number from %v to %v", p.min, p.max)
	case p.kind == kindNumber:
		return fmt.Sprintf("a number from %v to %v", p.min, p.max)
	case p.kind == kindBool:
		return "true or false"
	case p.kind == kindLinks:
		return `a list such as [{"target_id": "<id>", "link_type": "builds_on"}]`
	case p.kind == kindSteps:
		return `a list of steps such as ["do this", "then that"]`
	case p.kind == kindTexts:
		return `a string, or a list of them`
	case p.kind == kindStrings && p.id:
		return "a list of memory ids"
	case p.kind == kindStrings:
		return `a list of strings such as ["one", "two"]`
	case p.id:
		return "a memory's id, from a store's or recall's answer"
	case p.enum != nil:
		return "one of " + strings.Join(p.enum, ", ")
	case p.date:
		return `a date such as 2026-01-31, 7d or "last week"`
	default:
		return "a string"
	}
}

// parseDate reads what [memory.ParseWhen] does; a day begins in UTC.
func parseDate(name, s string) (time.Time, error) {
	t, err := memory.ParseWhen(s, time.Now(), time.UTC)
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	return t.UTC(), nil
}

// singular names one element of a list parameter: collections[0] is a
// collection.
func singular(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return strings.TrimSuffix(name, "s")
}
