package importer

import (
	"regexp"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// The lines that basic-memory gives a meaning, as its NOTE-FORMAT.md describes them:
//
//   - [category] what was observed #tag (context)
//   - relation_type [[Another Note]] (context)
var (
	observation = regexp.MustCompile(`^\s*[-*]\s+\[([^\[\]]{1,60})\]\s+(\S.*)$`)
	relation    = regexp.MustCompile(`^\s*[-*]\s+([^\[\]]*?)\s*\[\[([^\[\]]+)\]\]\s*(.*)$`)
	inlineTag   = regexp.MustCompile(`(?:^|\s)#([\p{L}\p{N}_/-]+)`)
)

// line takes a line over that is an observation or a relation, and reports whether it was one.
func (n *note) line(s section, line string) bool {
	if m := observation.FindStringSubmatch(line); m != nil && !checkbox(m[1]) {
		n.observation(s, m[1], m[2])
		return true
	}
	if m := relation.FindStringSubmatch(line); m != nil {
		n.relation(s, m[1], m[2], m[3])
		return true
	}
	return false
}

func checkbox(mark string) bool {
	return strings.TrimSpace(mark) == "" || strings.EqualFold(mark, "x") || mark == "-" || mark == "/"
}

func (n *note) observation(s section, category, text string) {
	in := n.base
	in.Type, in.Tags = kindOf(category, memory.TypeFact, in.Tags)
	for _, m := range inlineTag.FindAllStringSubmatch(text, -1) {
		in.Tags = append(in.Tags, m[1])
	}
	in.Text, in.SourceRef = n.about()+": "+text, n.ref(s, category+" "+text)
	n.c.add(n.file.path, in)
}

func (n *note) relation(s section, kind, target, context string) {
	in := n.base
	in.Type, in.Tags = memory.TypeFact, append(append([]string{}, in.Tags...), "relation")
	in.Text = oneLine(n.about() + " " + verb(kind) + " " + target + " " + context)
	in.SourceRef = n.ref(s, in.Text)
	n.c.add(n.file.path, in)
}

// about is what a note is about.
func (n *note) about() string {
	if n.title != "" {
		return n.title
	}
	for _, s := range sections(string(n.file.data)) {
		if len(s.path) > 0 {
			return s.path[0]
		}
	}
	return "this note"
}

// verb reads a relation type as words.
func verb(kind string) string {
	kind = oneLine(strings.ReplaceAll(kind, "_", " "))
	if kind == "" {
		return "relates to"
	}
	return kind
}
