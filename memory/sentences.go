package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentencesOf splits a text into sentences and lines, each with the white
// space after it, so that joined they are the text again. A line break ends a
// sentence, because lists and code have a statement a line; a fenced block of
// code stays whole. A full stop ends one only before white space and what can
// begin a sentence, and not after an abbreviation, an initial or a number
// that counts a list.
func sentencesOf(text string) []string {
	var out []string
	for _, b := range blocksOf(text) {
		if b.fenced {
			out = append(out, b.text)
			continue
		}
		for line := range strings.SplitAfterSeq(b.text, "\n") {
			out = appendSentences(out, line)
		}
	}
	return out
}

type block struct {
	text   string
	fenced bool
}

// blocksOf separates fenced code from the rest; joined they are the text. A
// line with an odd number of fences opens or closes one, and belongs to it.
func blocksOf(text string) []block {
	var out []block
	start, offset, fenced := 0, 0, false
	for line := range strings.SplitAfterSeq(text, "\n") {
		next := offset + len(line)
		if strings.Count(line, "```")%2 == 1 {
			end := offset
			if fenced {
				end = next
			}
			if end > start {
				out, start = append(out, block{text[start:end], fenced}), end
			}
			fenced = !fenced
		}
		offset = next
	}
	if start < len(text) {
		out = append(out, block{text[start:], fenced})
	}
	return out
}

func appendSentences(out []string, line string) []string {
	start := 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		if !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		// Closing quotes and brackets belong to the sentence.
		for i < len(line) && strings.IndexByte("\"')]", line[i]) >= 0 {
			i++
		}
		if !endsSentence(line[start:i], line[i:], r) {
			continue
		}
		i += len(line[i:]) - len(strings.TrimLeftFunc(line[i:], unicode.IsSpace))
		out, start = append(out, line[start:i]), i
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

func endsSentence(before, after string, mark rune) bool {
	if strings.ContainsRune("。！？", mark) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(after)
	if after == "" {
		return true
	}
	if !unicode.IsSpace(next) {
		return false // 3.14, file.go, example.org
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(after, unicode.IsSpace))
	if unicode.IsLower(first) {
		return false
	}
	if strings.Count(before, "`")%2 == 1 {
		return false // inside code
	}
	return mark != '.' || !abbreviated(before)
}

// abbreviated reports whether a text's last word is one that a full stop
// shortens or numbers rather than ends.
func abbreviated(text string) bool {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return false
	}
	last := strings.ToLower(strings.TrimLeft(strings.TrimRight(fields[len(fields)-1], "."), "(\"'["))
	switch last {
	case "e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "no", "fig", "approx", "ca", "resp", "incl", "al", "jr", "sr", "inc", "ltd", "z.b", "bzw":
		return true
	}
	if len(fields) == 1 && strings.Trim(last, "0123456789") == "" {
		return true // "2." at the start numbers a list
	}
	return utf8.RuneCountInString(last) == 1 && last >= "a" && last <= "z" // an initial
}

// sentenceKey is the form in which two sentences are the same: the words as
// they are written, without case at the start, marks at the end and bullets.
func sentenceKey(sentence string) string {
	s := strings.TrimSpace(sentence)
	if rest := strings.TrimLeft(s, "-*•"); rest != s && strings.HasPrefix(rest, " ") {
		s = rest
	}
	s = strings.TrimRight(NormalizeText(s), ".!。！ ")
	r, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	if unicode.IsUpper(r) && !unicode.IsUpper(second) {
		s = string(unicode.ToLower(r)) + s[size:]
	}
	return s
}
