package importer

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxSection is how many bytes of a section are one memory: longer ones are cut between
// paragraphs, because a vector of many pages is like nothing in particular.
const maxSection = 4000

// section is the text between one heading and the next heading of any level, or the text before the
// first heading.
type section struct {
	path []string // the headings above it, outermost first; none before the first heading
	body string
}

var (
	atx      = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*$`)
	closing  = regexp.MustCompile(`(?:^|[ \t]+)#+$`)
	setext   = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	fence    = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$")
	notTitle = regexp.MustCompile(`^\s*(?:[-*+>|]|\d+[.)]\s)`)
)

// sections cuts Markdown at its headings, in either way of writing them. What stands in a
// fenced block of code is no heading.
func sections(text string) []section {
	s := &sectioner{}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		s.line(strings.TrimSuffix(line, "\n"))
	}
	s.flush()
	return s.out
}

// sectioner is the state of sections.
type sectioner struct {
	out   []section
	path  []heading
	lines []string // of the section that is being read
	open  string   // the fence that a block of code must end with; "" outside of one
}

type heading struct {
	level int
	title string
}

func (s *sectioner) line(line string) {
	switch mark := fence.FindStringSubmatch(line); {
	case s.open != "":
		if mark != nil && strings.HasPrefix(mark[1], s.open) && strings.TrimSpace(mark[2]) == "" {
			s.open = ""
		}
	case mark != nil && !(mark[1][0] == '`' && strings.Contains(mark[2], "`")):
		s.open = mark[1]
	case s.heading(line):
		return
	}
	s.lines = append(s.lines, line)
}

// heading reports whether a line makes a heading, of itself or of the line before it.
func (s *sectioner) heading(line string) bool {
	if m := atx.FindStringSubmatch(line); m != nil {
		s.begin(len(m[1]), closing.ReplaceAllString(m[2], ""))
		return true
	}
	m := setext.FindStringSubmatch(line)
	n := len(s.lines)
	if m == nil || n == 0 || strings.TrimSpace(s.lines[n-1]) == "" || n > 1 && strings.TrimSpace(s.lines[n-2]) != "" ||
		notTitle.MatchString(s.lines[n-1]) {
		return false
	}
	title := s.lines[n-1]
	s.lines = s.lines[:n-1]
	level := 1
	if m[1][0] == '-' {
		level = 2
	}
	s.begin(level, title)
	return true
}

func (s *sectioner) begin(level int, title string) {
	s.flush()
	for len(s.path) > 0 && s.path[len(s.path)-1].level >= level {
		s.path = s.path[:len(s.path)-1]
	}
	s.path = append(s.path, heading{level, oneLine(printable(title))})
}

// flush ends the section that is being read. One without a text is none.
func (s *sectioner) flush() {
	body := strings.Trim(strings.Join(s.lines, "\n"), "\n")
	s.lines = nil
	if strings.TrimSpace(body) == "" {
		return
	}
	var path []string
	for _, h := range s.path {
		if h.title != "" {
			path = append(path, h.title)
		}
	}
	s.out = append(s.out, section{path, body})
}

// split cuts a text that has more than limit bytes: between paragraphs, else between lines,
// else anywhere between two characters. The parts together hold the whole text, but for white space
// at its ends and at the cuts.
func split(text string, limit int) []string {
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return []string{text}
	}
	head := text[:limit+1]
	end := strings.LastIndex(head, "\n\n")
	for _, sep := range []string{"\n", " "} {
		if end < limit/4 {
			end = strings.LastIndex(head, sep)
		}
	}
	if end < limit/4 {
		for end = limit; end > 1 && !utf8.RuneStart(text[end]); {
			end--
		}
	}
	out := []string{strings.TrimSpace(text[:end])}
	if rest := strings.TrimSpace(text[end:]); rest != "" {
		out = append(out, split(rest, limit)...)
	}
	return out
}
