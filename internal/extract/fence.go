package extract

import (
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// fence knows which lines are code or something pasted: between marks of
// Markdown, or between a tag on a line of its own and its end. One that is
// never closed goes to the end of the text.
type fence struct {
	mark string // what opened it: a row of ` or ~
	tag  string // or "</name>"
}

// tagLine is a line with nothing but a tag that opens.
var tagLine = lexis.Lazy(`^\s{0,3}<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>$`)

// voidTags are never closed.
var voidTags = []string{"br", "hr", "p", "img", "input", "details", "div", "center"}

// withoutFences empties the lines that are fenced.
func withoutFences(text string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && !strings.Contains(text, "<") {
		return text
	}
	var f fence
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if f.takes(strings.TrimRight(l, " \t\r")) {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// takes reads the next line and reports whether it is fenced or a fence.
func (f *fence) takes(l string) bool {
	switch {
	case f.mark != "":
		if rest, run := markOf(l); rest == "" && strings.HasPrefix(run, f.mark) {
			f.mark = ""
		}
		return true
	case f.tag != "":
		if strings.Contains(l, f.tag) {
			f.tag = ""
		}
		return true
	}
	if info, run := markOf(l); run != "" && (run[0] == '~' || !strings.Contains(info, "`")) {
		f.mark = run
		return true
	}
	if m := openTag(l); m != "" {
		f.tag = "</" + m + ">"
		return true
	}
	return false
}

// markOf splits a line that begins with a mark of three signs or more.
func markOf(l string) (rest, mark string) {
	l = strings.TrimSpace(l)
	for _, sign := range []string{"`", "~"} {
		rest := strings.TrimLeft(l, sign)
		if n := len(l) - len(rest); n >= 3 {
			return strings.TrimSpace(rest), l[:n]
		}
	}
	return "", ""
}

func openTag(l string) string {
	if !strings.Contains(l, "<") || !strings.HasSuffix(l, ">") {
		return ""
	}
	m := tagLine.Groups(l)
	if m == nil || strings.HasSuffix(l, "/>") {
		return ""
	}
	for _, void := range voidTags {
		if strings.EqualFold(void, m[1]) {
			return ""
		}
	}
	return m[1]
}
