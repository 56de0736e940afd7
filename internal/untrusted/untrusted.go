// Package untrusted prepares what is stored for the eyes of a model. A memory may come from a
// repository, a web page or another program, so it must not be able to pretend to be anything
// else than a note: an instruction, the end of the notes, another speaker.
//
// Hooks and MCP answers show stored texts through [Text]; what hooks put into a conversation
// also stands between marks, see [Notes].
package untrusted

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lineBreaks are all that Unicode calls a line break, as one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Text returns a stored text as a model may read it: valid UTF-8 without characters that are
// not seen or that turn the direction of reading, without blank lines, and without anything
// that looks like the beginning of a tag or the mark of a block. Every line but the first is indented, so that none
// can stand for a speaker or a heading.
func Text(s string) string {
	s = strings.Map(seen, lineBreaks.Replace(strings.ToValidUTF8(s, "")))
	s = markShape.ReplaceAllString(withoutTags(s), "($1)")
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if strings.TrimSpace(line) == "" {
			continue
		}
		if b.Len() == 0 {
			line = strings.TrimLeftFunc(line, unicode.IsSpace)
		} else {
			b.WriteString("\n  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// seen drops what takes no place on a screen.
func seen(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector):
		return -1
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0, r == 0x2800: // fillers
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// openers are the characters that a reader takes for "<". Compatibility forms, such as the
// full-width one, are found by normalising.
const openers = "<‹〈⟨❮❬˂ᐸ⧼"

// slashes are the characters that look like "/".
const slashes = "/∕⁄⧸╱⟋"

// withoutTags replaces every sign that could open a tag: one before a letter, or before a slash,
// "!" or "?", with or without blanks between. "a < b" and "x <- y" stay.
func withoutTags(s string) string {
	var b strings.Builder
	for i, r := range s {
		if opens(r) && tagFollows(s[i+utf8.RuneLen(r):]) {
			r = '‹'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func opens(r rune) bool {
	if strings.ContainsRune(openers, r) {
		return true
	}
	return r > unicode.MaxASCII && norm.NFKC.String(string(r)) == "<"
}

func tagFollows(rest string) bool {
	if r := firstOf(rest); unicode.IsLetter(r) || opens(r) {
		return true
	}
	r := firstOf(strings.TrimLeftFunc(rest, unicode.IsSpace))
	return r == '!' || r == '?' || strings.ContainsRune(slashes, r)
}

// firstOf is the first character in its plain form, or a blank if there is none.
func firstOf(s string) rune {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return ' '
	}
	plain, _ := utf8.DecodeRuneInString(norm.NFKC.String(string(r)))
	return plain
}

// markBytes is how much of a digest a mark shows: a text cannot be written so that the mark of
// a block that holds it is known before.
const markBytes = 8

// Notes puts a heading and items, one a line, between a mark at the beginning and the same mark
// at the end. The mark is made from all that stands between: an item cannot hold it, because it
// would be another one then, and the same notes have the same mark, which Claude Code needs to
// see that a session was shown them already. Items are shown as they are: pass them through
// [Text] first.
func Notes(heading string, items []string) string {
	body := strings.Join(items, "\n")
	sum := sha256.Sum256([]byte(heading + "\n" + body))
	mark := hex.EncodeToString(sum[:markBytes])
	return heading + "\n[notes " + mark + "]\n" + body + "\n[end of notes " + mark + "]"
}

// markShape is what a mark looks like.
var markShape = regexp.MustCompile(`(?i)\[(\s*(?:end of )?notes\s+[0-9a-f]{16}\s*)\]`)
