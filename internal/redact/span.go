package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a finding: the bytes from start up to end, and who found it. When spans
// overlap, the one with the lowest rank names the union.
type span struct {
	start, end int
	kind       Kind
	rank       int
}

// Ranks, from the most to the least telling name.
const (
	rankCustom = iota
	rankExact  // a format with a checksum or an unmistakable prefix
	rankVendor // a gitleaks rule
	rankOwn    // a word followed by a value
	rankGuess  // generic-api-key, base64
)

// merge joins spans that overlap. The whole union is removed, so that a short match
// cannot leave the end of a longer one behind.
func merge(spans []span) []span {
	// Of equals the detector that comes first gives the name.
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.rank, b.rank))
	})
	var out []span
	for _, s := range spans {
		if s.start >= s.end {
			continue
		}
		if n := len(out); n > 0 && s.start < out[n-1].end {
			last := &out[n-1]
			last.end = max(last.end, s.end)
			if s.rank < last.rank {
				last.kind, last.rank = s.kind, s.rank
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// subtract cuts the markers out of the spans and drops what is left when it holds neither
// letter nor digit, such as the comma after a marker. Both arguments are sorted.
func subtract(spans, marks []span, text string) []span {
	var out []span
	keep := func(s span) {
		s = trim(s, text)
		if s.start < s.end && strings.ContainsFunc(text[s.start:s.end], meaningful) {
			out = append(out, s)
		}
	}
	m := 0
	for _, s := range spans {
		for m < len(marks) && marks[m].end <= s.start {
			m++
		}
		for i := m; i < len(marks) && marks[i].start < s.end; i++ {
			left := s
			left.end = marks[i].start
			keep(left)
			s.start = max(s.start, marks[i].end)
		}
		keep(s)
	}
	return out
}

func meaningful(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == utf8.RuneError }

// trim takes white space off both ends, so that a sentence keeps its shape.
func trim(s span, text string) span {
	for s.start < s.end && isSpace(text[s.start]) {
		s.start++
	}
	for s.end > s.start && isSpace(text[s.end-1]) {
		s.end--
	}
	return s
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// replace puts markers in the place of the spans and counts them by kind.
func replace(text string, spans []span, mark marker, counts map[Kind]int) string {
	var b strings.Builder
	b.Grow(len(text))
	last := 0
	for _, s := range spans {
		b.WriteString(text[last:s.start])
		b.WriteString(mark(s, text[s.start:s.end]))
		counts[s.kind]++
		last = s.end
	}
	b.WriteString(text[last:])
	return b.String()
}
