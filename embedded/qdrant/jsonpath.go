package qdrant

import (
	"strconv"
	"strings"
	"unicode"

	pb "github.com/qdrant/go-client/qdrant"
)

// A jsonPath leads to values in a payload: keys, and for lists "[]" (every
// item) or "[3]".
type jsonPath []pathStep

type pathStep struct {
	kind  stepKind
	key   string
	index int
}

type stepKind byte

const (
	stepKey stepKind = iota
	stepIndex
	stepEach
)

// parsePath reads a path. A key of other than letters, digits, "_" and "-"
// stands in double quotes.
func parsePath(text string) (jsonPath, error) {
	var path jsonPath
	rest := text
	for first := true; first || rest != ""; first = false {
		if !first {
			if rest[0] != '.' {
				return nil, badPath(text)
			}
			rest = rest[1:]
		}
		key, after, ok := takeKey(rest)
		if !ok {
			return nil, badPath(text)
		}
		path = append(path, pathStep{kind: stepKey, key: key})
		rest = after
		for strings.HasPrefix(rest, "[") {
			step, after, ok := takeBrackets(rest)
			if !ok {
				return nil, badPath(text)
			}
			path = append(path, step)
			rest = after
		}
	}
	return path, nil
}

func badPath(text string) error { return invalid("Invalid json path: '%s'", text) }

func takeKey(s string) (key, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		end := strings.IndexByte(s[1:], '"')
		if end < 0 {
			return "", "", false
		}
		return s[1 : 1+end], s[2+end:], true
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:], end > 0
}

func takeBrackets(s string) (pathStep, string, bool) {
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return pathStep{}, "", false
	}
	inside, rest := s[1:end], s[end+1:]
	if inside == "" {
		return pathStep{kind: stepEach}, rest, true
	}
	n, err := strconv.ParseUint(inside, 10, 31)
	if err != nil {
		return pathStep{}, "", false
	}
	return pathStep{kind: stepIndex, index: int(n)}, rest, true
}

// values are what the path leads to. A list at its end is one value.
func (p jsonPath) values(payload map[string]*pb.Value) []*pb.Value {
	if len(p) == 0 {
		return nil
	}
	v, ok := payload[p[0].key]
	if !ok {
		return nil
	}
	return p[1:].follow(v, nil)
}

func (p jsonPath) follow(v *pb.Value, out []*pb.Value) []*pb.Value {
	if len(p) == 0 {
		return append(out, v)
	}
	switch p[0].kind {
	case stepKey:
		if child, ok := v.GetStructValue().GetFields()[p[0].key]; ok {
			return p[1:].follow(child, out)
		}
	case stepIndex:
		if list := v.GetListValue().GetValues(); p[0].index < len(list) {
			return p[1:].follow(list[p[0].index], out)
		}
	case stepEach:
		for _, item := range v.GetListValue().GetValues() {
			out = p[1:].follow(item, out)
		}
	}
	return out
}

// merge puts fields into the struct that the path leads to, making it where
// it is missing or is something else.
func (p jsonPath) merge(payload, fields map[string]*pb.Value) {
	if len(p) == 0 {
		for key, value := range fields {
			payload[key] = value
		}
		return
	}
	if p[0].kind != stepKey {
		return
	}
	payload[p[0].key] = p[1:].mergeInto(payload[p[0].key], fields)
}

func (p jsonPath) mergeInto(v *pb.Value, fields map[string]*pb.Value) *pb.Value {
	if len(p) > 0 && p[0].kind != stepKey {
		list := v.GetListValue().GetValues()
		for i := range list {
			if p[0].kind == stepEach || p[0].index == i {
				list[i] = p[1:].mergeInto(list[i], fields)
			}
		}
		if v == nil {
			v = &pb.Value{Kind: &pb.Value_ListValue{ListValue: &pb.ListValue{}}}
		}
		return v
	}
	inner := v.GetStructValue().GetFields()
	if inner == nil {
		inner = map[string]*pb.Value{}
	}
	p.merge(inner, fields)
	return &pb.Value{Kind: &pb.Value_StructValue{StructValue: &pb.Struct{Fields: inner}}}
}

// remove deletes what the path leads to.
func (p jsonPath) remove(payload map[string]*pb.Value) {
	if len(p) == 0 || p[0].kind != stepKey {
		return
	}
	if len(p) == 1 {
		delete(payload, p[0].key)
		return
	}
	if v, ok := payload[p[0].key]; ok {
		p[1:].removeFrom(v)
	}
}

func (p jsonPath) removeFrom(v *pb.Value) {
	if p[0].kind == stepKey {
		p.remove(v.GetStructValue().GetFields())
		return
	}
	list := v.GetListValue()
	if len(p) == 1 {
		switch {
		case list == nil:
		case p[0].kind == stepEach:
			list.Values = nil
		case p[0].index < len(list.Values):
			list.Values = append(list.Values[:p[0].index], list.Values[p[0].index+1:]...)
		}
		return
	}
	for i, item := range list.GetValues() {
		if p[0].kind == stepEach || p[0].index == i {
			p[1:].removeFrom(item)
		}
	}
}
