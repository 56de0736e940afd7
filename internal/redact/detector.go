package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// detector is one rule: what must occur before the expression is tried, the expression,
// and a check of what it found.
type detector struct {
	kind Kind
	rank int
	// words are in lower case. Without words and spots the expression is tried on the
	// whole text.
	words []string
	// spots finds the places of what has no words; such as a row of digits.
	spots func(t *scanText) []span
	// needs, when set, is a part of every match: a text without it is not looked at.
	needs string
	// minDigits is how many digits the text must have for a match to be possible.
	minDigits int
	// reach is how far from a word, in bytes, a match can begin or end. It keeps the work
	// on a long text in proportion to what there is to find.
	reach int
	// compiled returns the expression, compiling it on the first call. The first group
	// that took part in a match is what gets redacted; without groups, all of it.
	compiled func() *regexp.Regexp
	// whole redacts the whole match even when there are groups.
	whole bool
	// group, when positive, names the one group that counts.
	group int
	// accept decides about a match; nil accepts all.
	accept func(m match) bool
}

// match is what accept is asked about.
type match struct {
	secret string // what would be redacted
	before string // the match up to the secret: the words that gave it away
	all    string // the whole match
	// The whole text and where the secret is in it, for the characters around it.
	text       *scanText
	start, end int
}

// scanText is a text and what every detector needs to know about it.
type scanText struct {
	raw   string
	lower string // ASCII letters lowered, so that offsets are the same
	nums  int    // how many digits there are
	pairs pairs  // the neighbours in lower
	rows  []row  // of digits
}

func newScanText(raw string) *scanText {
	t := &scanText{raw: raw, lower: lowerASCII(raw), nums: digits(raw)}
	t.pairs.add(t.lower)
	if t.nums > 0 {
		t.rows = rowsOf(raw)
	}
	return t
}

// lowerASCII is strings.ToLower for ASCII only: the full one can change the length.
func lowerASCII(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return 'A' <= c && c <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// lazily compiles expr once, on first use.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// scan appends what d finds in t.
func (d *detector) scan(t *scanText, out []span) []span {
	if t.nums < d.minDigits || d.needs != "" && !strings.Contains(t.lower, d.needs) {
		return out
	}
	for _, w := range d.windows(t) {
		out = d.scanWindow(t, w, out)
	}
	return out
}

// windows returns the parts of t in which a match can be.
func (d *detector) windows(t *scanText) []span {
	switch {
	case len(d.words) > 0:
		return windows(t, d.words, d.reach)
	case d.spots != nil:
		return d.spots(t)
	default:
		return []span{{end: len(t.raw)}}
	}
}

// scanWindow appends what d finds in one window. Matches do not overlap, so one that is not
// accepted is looked through again: what it took for a value may be the label of the next.
func (d *detector) scanWindow(t *scanText, w span, out []span) []span {
	for _, loc := range d.compiled().FindAllStringSubmatchIndex(t.raw[w.start:w.end], -1) {
		found, ok := d.judge(t, w.start, loc)
		if ok {
			out = append(out, found)
			continue
		}
		out = d.lookThrough(t, span{start: w.start + loc[0], end: w.start + loc[1]}, w.end, out)
	}
	return out
}

// lookThrough appends the first accepted match that begins at a later word of a match that
// was not accepted.
func (d *detector) lookThrough(t *scanText, rejected span, most int, out []span) []span {
	limit := min(most, rejected.end+d.reach)
	for limit < most && !isSpace(t.raw[limit]) {
		limit++
	}
	for from := nextWord(t.raw, rejected.start); from < rejected.end; {
		loc := d.compiled().FindStringSubmatchIndex(t.raw[from:limit])
		if loc == nil || from+loc[0] >= rejected.end {
			return out
		}
		if found, ok := d.judge(t, from, loc); ok {
			return append(out, found)
		}
		from = nextWord(t.raw, from+loc[0])
	}
	return out
}

// nextWord returns where the first word after position from begins, or the end of raw.
func nextWord(raw string, from int) int {
	for from < len(raw) && !isSpace(raw[from]) {
		from++
	}
	for from < len(raw) && isSpace(raw[from]) {
		from++
	}
	return from
}

// judge makes a span of the indexes of a match, which count from base, and says whether it
// is accepted.
func (d *detector) judge(t *scanText, base int, loc []int) (span, bool) {
	start, end := d.secretOf(loc)
	if start == end {
		return span{}, false
	}
	m := match{
		secret: t.raw[base+start : base+end],
		before: t.raw[base+loc[0] : base+start],
		all:    t.raw[base+loc[0] : base+loc[1]],
		text:   t, start: base + start, end: base + end,
	}
	found := span{start: m.start, end: m.end, kind: d.kind, rank: d.rank}
	return found, d.accept == nil || d.accept(m)
}

// secretOf picks the group to redact from the indexes of a match.
func (d *detector) secretOf(loc []int) (start, end int) {
	if d.group > 0 && 2*d.group+1 < len(loc) && loc[2*d.group] >= 0 {
		return loc[2*d.group], loc[2*d.group+1]
	}
	if !d.whole && d.group == 0 {
		for i := 2; i+1 < len(loc); i += 2 {
			if loc[i] >= 0 && loc[i] < loc[i+1] {
				return loc[i], loc[i+1]
			}
		}
	}
	return loc[0], loc[1]
}

// windows returns the stretches of t around the words, merged, sorted and widened to
// white space: an expression that ends in $ must not take the edge of a window for the
// end of a token.
func windows(t *scanText, words []string, reach int) []span {
	var out []span
	for _, w := range words {
		if !t.pairs.mayHold(w) {
			continue
		}
		for from := 0; ; {
			i := strings.Index(t.lower[from:], w)
			if i < 0 {
				break
			}
			at := from + i
			out = append(out, span{start: max(0, at-reach), end: min(len(t.raw), at+len(w)+reach)})
			// A hit so near changes the window by its own length only.
			from = at + len(w)
			if last := &out[len(out)-1]; from < last.end-reach/2 {
				from = skipTo(t, w, from, last, reach)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	slices.SortFunc(out, func(a, b span) int { return a.start - b.start })
	return widen(t.raw, joined(out))
}

// joined makes one of windows that touch. They are sorted, and at least one.
func joined(out []span) []span {
	merged := out[:1]
	for _, s := range out[1:] {
		if last := &merged[len(merged)-1]; s.start <= last.end {
			last.end = max(last.end, s.end)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// skipTo jumps over hits of w that lie within the window and lets the last of them
// extend it. Texts made of nothing but keywords would cost a window each otherwise.
func skipTo(t *scanText, w string, from int, win *span, reach int) int {
	limit := min(len(t.lower), win.end-reach/2)
	if j := strings.LastIndex(t.lower[from:limit], w); j >= 0 {
		at := from + j
		win.end = max(win.end, min(len(t.raw), at+len(w)+reach))
		return at + len(w)
	}
	return from
}

func widen(raw string, wins []span) []span {
	var out []span
	for _, w := range wins {
		for w.start > 0 && !isSpace(raw[w.start-1]) {
			w.start--
		}
		for w.end < len(raw) && !isSpace(raw[w.end]) {
			w.end++
		}
		if n := len(out); n > 0 && w.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, w.end)
			continue
		}
		out = append(out, w)
	}
	return out
}

// entropy is Shannon's, in bits for each byte: how surprising the characters are.
func entropy(s string) float64 {
	if s == "" {
		return 0
	}
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	var h float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
