package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A shadow is a text as a reader sees it: without characters that cannot be seen, and with
// escapes undone. A secret can be hidden from an expression by a zero-width space in its
// label, or by being quoted once more, as in \"password\" or password%3D.
type shadow struct {
	text string
	// from and to say, for each byte of text, which bytes of the original it stands for.
	from, to []int
}

// shadowOf returns the shadow of raw; ok is false if it is raw itself.
func shadowOf(raw string) (s shadow, ok bool) {
	if !mayDiffer(raw) {
		return shadow{}, false
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		plain, size := unescape(raw[i:])
		for range len(plain) {
			s.from, s.to = append(s.from, i), append(s.to, i+size)
		}
		b.WriteString(plain)
		i += size
	}
	s.text = b.String()
	return s, s.text != raw
}

// mayDiffer is quick: most texts hold nothing that a shadow would change.
func mayDiffer(raw string) bool {
	for i := range len(raw) {
		switch c := raw[i]; {
		case c >= utf8.RuneSelf, c == '\\', c == '&', c == '%', c < ' ' && c != '\n' && c != '\t' && c != '\r', c == 0x7f:
			return true
		}
	}
	return false
}

// back returns the spans of the original that spans of the shadow stand for.
func (s shadow) back(spans []span) []span {
	for i, found := range spans {
		spans[i].start, spans[i].end = s.from[found.start], s.to[found.end-1]
	}
	return spans
}

// unescape returns what the beginning of s stands for, and how many bytes that takes.
func unescape(s string) (plain string, size int) {
	switch s[0] {
	case '\\':
		return backslashed(s)
	case '&':
		return entity(s)
	case '%':
		if c, ok := hexByte(s, 1, 3); ok && c < utf8.RuneSelf {
			return visible(rune(c)), 3
		}
		return s[:1], 1
	}
	c, size := utf8.DecodeRuneInString(s)
	if c == utf8.RuneError && size == 1 {
		return s[:1], 1
	}
	return visible(c), size
}

// visible returns a character as it is read: nothing for one that cannot be seen, a space for
// any kind of space, and the plain form of a full-width one.
func visible(c rune) string {
	switch {
	case c == '\n' || c == '\t' || c == '\r':
		return string(c)
	case unseen(c):
		return ""
	case unicode.IsSpace(c):
		return " "
	case c >= 0xFF01 && c <= 0xFF5E: // the full-width forms of ! to ~
		return string(c - 0xFF01 + '!')
	}
	return string(c)
}

// unseen reports characters that take no place on a screen.
func unseen(c rune) bool {
	switch {
	case unicode.IsControl(c), unicode.Is(unicode.Cf, c): // soft hyphen, zero-width and bidi marks, tags
		return true
	case c >= 0xFE00 && c <= 0xFE0F, c >= 0xE0100 && c <= 0xE01EF, c >= 0x180B && c <= 0x180F: // variation selectors
		return true
	}
	return c == 0x034F || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 || c == 0x3164 || c == 0xFFA0 // fillers
}

// backslashed undoes \", \', \/, \\ before a quote, and \u0022. A backslash before anything
// else is a path or an expression, and stays.
func backslashed(s string) (string, int) {
	if len(s) < 2 {
		return s[:1], 1
	}
	switch s[1] {
	case '"', '\'', '/', '`':
		return s[1:2], 2
	case '\\':
		if len(s) > 2 && (s[2] == '"' || s[2] == '\'') {
			return s[2:3], 3
		}
	case 'u':
		if len(s) >= 6 {
			if c, err := strconv.ParseUint(s[2:6], 16, 16); err == nil {
				return visible(rune(c)), 6
			}
		}
	}
	return s[:1], 1
}

// entity undoes the entities of HTML and XML that can stand between a label and its value.
func entity(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), 10)], ';')
	if end < 2 {
		return s[:1], 1
	}
	name := s[1:end]
	if name[0] == '#' {
		base, number := 10, name[1:]
		if strings.HasPrefix(number, "x") || strings.HasPrefix(number, "X") {
			base, number = 16, number[1:]
		}
		if c, err := strconv.ParseUint(number, base, 21); err == nil && c > 0 {
			return visible(rune(c)), end + 1
		}
		return s[:1], 1
	}
	if plain, ok := entities()[name]; ok {
		return plain, end + 1
	}
	return s[:1], 1
}

func entities() map[string]string {
	return map[string]string{
		"quot": `"`, "apos": "'", "amp": "&", "lt": "<", "gt": ">", "colon": ":", "equals": "=",
		"nbsp": " ", "shy": "", "zwnj": "", "zwj": "", "lrm": "", "rlm": "", "Tab": "\t", "NewLine": "\n",
	}
}

// hexByte reads the byte that s[from:to] writes in hexadecimal.
func hexByte(s string, from, to int) (byte, bool) {
	if len(s) < to {
		return 0, false
	}
	c, err := strconv.ParseUint(s[from:to], 16, 8)
	return byte(c), err == nil
}
