package purge

import "unicode/utf8"

// canon brings bytes into one form, so that a text is found however it was written: in capitals,
// broken into lines, or escaped as JSON escapes, once or several times. White space and
// backslashes are left out, with the letter of an escape such as \n; \u0041 becomes the
// character that it stands for. A canon takes the bytes one by one and remembers an escape that has
// begun and is not complete.
type canon struct {
	escaped bool   // a backslash came last
	digits  int    // of a \u escape that are still to come
	value   rune   // of the digits so far
	high    rune   // the first half of a pair of \u escapes
	out     []byte // of the last call of feed
}

// What plain says of bytes that do not stand for themselves. None of the values occurs as one that does.
const (
	skipped = '\t'
	cutting = '\x00'
	special = '\\'
)

// plain says what a byte adds to the form when nothing was begun before it.
var plain = func() (t [256]byte) {
	for i := range t {
		switch b := byte(i); {
		case b == '\\':
			t[i] = special
		case isSpace(b):
			t[i] = skipped
		case b < ' ' || b == 0x7f:
			t[i] = cutting
		default:
			t[i] = lower(b)
		}
	}
	return t
}()

// busy reports whether an escape has begun, so that it decides how the next byte is read.
func (c *canon) busy() bool { return c.escaped || c.digits > 0 }

// feed takes a byte and returns the bytes that it adds to the form. It sets cut for a control
// character, which is never part of a text: the bytes before it and the bytes after it belong to
// different pieces.
func (c *canon) feed(b byte) (out []byte, cut bool) {
	c.out = c.out[:0]
	if c.digits > 0 {
		if d, ok := hexDigit(b); ok {
			c.value, c.digits = c.value<<4|rune(d), c.digits-1
			if c.digits == 0 {
				cut = c.character(c.value)
			}
			return c.out, cut
		}
		c.digits = 0 // no escape after all; both sides of a comparison lose the same
	}
	if c.escaped && b != '\\' {
		c.escaped = false
		switch b {
		case 'n', 'r', 't', 'b', 'f':
			return nil, false
		case 'u':
			c.digits, c.value = 4, 0
			return nil, false
		}
	}
	switch {
	case b == '\\':
		c.escaped = true
		return nil, false
	case isSpace(b):
		return nil, false
	case b < ' ' || b == 0x7f:
		*c = canon{out: c.out}
		return nil, true
	}
	c.high = 0
	c.out = append(c.out, lower(b))
	return c.out, false
}

// character adds what a \u escape stands for.
func (c *canon) character(r rune) (cut bool) {
	switch {
	case r >= 0xd800 && r < 0xdc00:
		c.high = r
		return false
	case r >= 0xdc00 && r < 0xe000:
		if c.high == 0 {
			return false
		}
		r = (c.high-0xd800)<<10 | (r - 0xdc00) + 0x10000
	}
	c.high = 0
	switch {
	case r < utf8.RuneSelf && isSpace(byte(r)), r == '\\':
		return false
	case r < ' ' || r == 0x7f:
		return true
	case r < utf8.RuneSelf:
		c.out = append(c.out, lower(byte(r)))
	default:
		c.out = utf8.AppendRune(c.out, r)
	}
	return false
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case b >= '0' && b <= '9':
		return b - '0', true
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10, true
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}

// pieces returns the form of a text, cut at control characters.
func pieces(text string) [][]byte {
	var c canon
	var out [][]byte
	var now []byte
	for i := range len(text) {
		more, cut := c.feed(text[i])
		if cut && len(now) > 0 {
			out, now = append(out, now), nil
		}
		now = append(now, more...)
	}
	if len(now) > 0 {
		out = append(out, now)
	}
	return out
}
