package redact

// pairs is the set of neighbouring bytes of a text, each byte without its highest bit. A
// word of which one pair is not there cannot be in the text: that is seen in a few
// nanoseconds, and most of the thousand words of the detectors are in no text.
type pairs [256]uint64

func (p *pairs) add(text string) {
	for i := 1; i < len(text); i++ {
		n := pairOf(text[i-1], text[i])
		p[n>>6] |= 1 << (n & 63)
	}
}

// mayHold reports whether word can be in the text; words of one byte always may.
func (p *pairs) mayHold(word string) bool {
	for i := 1; i < len(word); i++ {
		if n := pairOf(word[i-1], word[i]); p[n>>6]&(1<<(n&63)) == 0 {
			return false
		}
	}
	return true
}

func pairOf(a, b byte) uint { return uint(a&0x7f)<<7 | uint(b&0x7f) }

// row is a stretch with digits at both ends and at most maxGap bytes between one digit and
// the next: a number, however it is grouped.
type row struct {
	start, end int
	digits     int
}

// maxGap is the widest that stands between two digits of a number: the bracket and the
// space in "(212) 555", the letter and the space in the French "2A 123".
const maxGap = 2

func rowsOf(raw string) []row {
	var out []row
	for i := range len(raw) {
		if raw[i] < '0' || raw[i] > '9' {
			continue
		}
		if n := len(out); n > 0 && i-out[n-1].end <= maxGap {
			out[n-1].end, out[n-1].digits = i+1, out[n-1].digits+1
			continue
		}
		out = append(out, row{start: i, end: i + 1, digits: 1})
	}
	return out
}

// rowReach is how far a match goes beyond its digits: six letters of an Italian tax code
// before them, a letter and a space after.
const rowReach = 8

// digitRows are the spots of numbers of at least n digits.
func digitRows(n int) func(*scanText) []span { return digitRowsBehind(n, rowReach) }

// digitRowsBehind are the spots of such numbers and what stands before them, in bytes.
func digitRowsBehind(n, before int) func(*scanText) []span {
	return func(t *scanText) []span {
		var out []span
		for _, r := range t.rows {
			if r.digits >= n {
				out = append(out, span{start: max(0, r.start-before), end: min(len(t.raw), r.end+rowReach)})
			}
		}
		return spotsIn(t, out)
	}
}

// maxAddress is the length of a street with its number, city and postal code.
const maxAddress = 120

// houseNumbers are the spots of streets that begin with their number: 12 Main Street.
func houseNumbers(t *scanText) []span {
	var out []span
	for i := 1; i+1 < len(t.raw); i++ {
		if t.raw[i] == ' ' && isCapital(t.raw[i+1]) && (isDigit(t.raw[i-1]) || i > 1 && isDigit(t.raw[i-2])) {
			out = append(out, span{start: max(0, i-rowReach), end: min(len(t.raw), i+maxAddress)})
		}
	}
	return spotsIn(t, out)
}

// longWords are the spots of what has no white space in it and at least n bytes.
func longWords(n int) func(*scanText) []span {
	return func(t *scanText) []span {
		var out []span
		start := 0
		for i := range len(t.raw) + 1 {
			if i < len(t.raw) && !isSpace(t.raw[i]) {
				continue
			}
			if i-start >= n {
				out = append(out, span{start: start, end: i})
			}
			start = i + 1
		}
		return spotsIn(t, out)
	}
}

// maxIBAN is the length of an account number with a space between any two characters.
const maxIBAN = 80

// countryCodes are the spots of account numbers: two capitals and two digits, where a word
// begins.
func countryCodes(t *scanText) []span {
	var out []span
	for _, r := range t.rows {
		i := r.start - 2
		if i < 0 || r.start+1 >= len(t.raw) || !isDigit(t.raw[r.start+1]) || !isCapital(t.raw[i]) || !isCapital(t.raw[i+1]) {
			continue
		}
		out = append(out, span{start: i, end: min(len(t.raw), r.start+maxIBAN)})
	}
	return spotsIn(t, out)
}

// spotsIn widens spots to white space and joins those that touch.
func spotsIn(t *scanText, spots []span) []span {
	if len(spots) == 0 {
		return nil
	}
	return widen(t.raw, joined(spots))
}

func isDigit(c byte) bool   { return '0' <= c && c <= '9' }
func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
