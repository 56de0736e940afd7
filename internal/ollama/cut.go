package ollama

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxUnit is the most tokens of one uncut unit; a longer word (base64, a text without
// spaces) is cut inside.
const maxUnit = 16

// overlapPart is which part of a piece the next one repeats, so that a sentence at the
// cut is whole in one of them.
const overlapPart = 8

// estimate guesses the tokens of text, rather too many than too few: one for three
// letters of a word, and one for every other character that is not space. Ollama refuses
// what is too long all the same, and then the piece is halved.
func estimate(text string) int {
	tokens, run := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf && unicode.IsLetter(r) {
			if run%3 == 0 {
				tokens++
			}
			run++
			continue
		}
		run = 0
		switch {
		case unicode.IsSpace(r):
		case r > 0xFFFF:
			tokens += 3 // emoji fall into bytes
		default:
			tokens++
		}
	}
	return tokens
}

// unit is a stretch of text that is not cut: a word with the space after it.
type unit struct {
	start, end int // bytes
	tokens     int
	ends       bool // a sentence or line ends here
}

// span is a piece's place in its text, in bytes.
type span struct{ start, end int }

// cut divides text into overlapping pieces of at most budget estimated tokens, at ends of
// sentences where one is near, else between words. A text within the budget is returned
// as it is. Together the pieces hold the whole text.
func cut(text string, budget int) []string {
	if estimate(text) <= budget {
		return []string{text}
	}
	var pieces []string
	for _, s := range spans(text, budget) {
		pieces = append(pieces, text[s.start:s.end])
	}
	return pieces
}

// spans returns where cut cuts; none for an empty text.
func spans(text string, budget int) []span {
	units := unitsOf(text, min(maxUnit, budget))
	var places []span
	for start := 0; start < len(units); {
		end := fit(units, start, budget)
		if end == len(units) {
			return append(places, span{units[start].start, len(text)})
		}
		end = sentenceEnd(units, start, end)
		places = append(places, span{units[start].start, units[end-1].end})
		start = max(start+1, stepBack(units, end, budget/overlapPart))
	}
	return places
}

// fit returns the end of the longest run of units from start within budget; at least one.
func fit(units []unit, start, budget int) int {
	end, tokens := start, 0
	for end < len(units) && (end == start || tokens+units[end].tokens <= budget) {
		tokens += units[end].tokens
		end++
	}
	return end
}

// sentenceEnd moves end back to the last end of a sentence in the piece's last third.
func sentenceEnd(units []unit, start, end int) int {
	for i := end; i > start+(end-start)*2/3; i-- {
		if units[i-1].ends {
			return i
		}
	}
	return end
}

// stepBack returns where the next piece begins: at most overlap tokens before end.
func stepBack(units []unit, end, overlap int) int {
	for end > 0 && units[end-1].tokens <= overlap {
		overlap -= units[end-1].tokens
		end--
	}
	return end
}

// unitsOf divides text into units of at most limit tokens; they touch and cover it.
func unitsOf(text string, limit int) []unit {
	var units []unit
	for start := 0; start < len(text); {
		end := wordEnd(text, start, limit)
		word := strings.TrimRightFunc(text[start:end], unicode.IsSpace)
		units = append(units, unit{
			start: start, end: end, tokens: estimate(word),
			ends: strings.HasSuffix(word, ".") || strings.HasSuffix(word, "!") || strings.HasSuffix(word, "?") ||
				strings.HasSuffix(word, "。") || strings.Contains(text[start:end], "\n"),
		})
		start = end
	}
	return units
}

// wordEnd returns where the unit from start ends: after the space that follows the word, or
// inside the word where its tokens reach limit.
func wordEnd(text string, start, limit int) int {
	inSpace := false
	for i, r := range text[start:] {
		space := unicode.IsSpace(r)
		if inSpace && !space {
			return start + i
		}
		inSpace = inSpace || space
		// Three is the most that one character counts.
		if i > 0 && !space && i >= limit/3 && estimate(text[start:start+i])+3 > limit {
			return start + i
		}
	}
	return len(text)
}
