package static

import (
	"fmt"
	"strings"
)

// maxWord is how many characters of a word are cut into pieces; the model was made so,
// and it bounds the work for a megabyte without a space.
const maxWord = 64

// vocabulary finds the row of a word piece. Pieces that begin a word and pieces that
// go on inside one are kept apart, so that looking one up never builds a "##" string.
type vocabulary struct {
	first   map[string]int32
	inside  map[string]int32
	longest int // bytes of the longest piece, without its "##"
}

// newVocabulary reads one piece a line, line i being row i.
func newVocabulary(text string, rows int) (vocabulary, error) {
	v := vocabulary{first: make(map[string]int32, rows), inside: make(map[string]int32, rows/8)}
	row := 0
	for line := range strings.Lines(text) {
		piece, inside := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "##")
		pieces := v.first
		if inside {
			pieces = v.inside
		}
		if piece == "" {
			return vocabulary{}, fmt.Errorf("line %d is empty", row+1)
		}
		if _, twice := pieces[piece]; twice {
			return vocabulary{}, fmt.Errorf("line %d repeats the piece %q", row+1, piece)
		}
		if row == rows {
			return vocabulary{}, fmt.Errorf("more than %d pieces, one for each row of the model", rows)
		}
		pieces[piece] = int32(row)
		v.longest = max(v.longest, len(piece))
		row++
	}
	if row != rows {
		return vocabulary{}, fmt.Errorf("%d pieces, but the model has %d rows", row, rows)
	}
	return v, nil
}

// appendWord appends the ids of the pieces of one folded word: the word itself when it
// is known, else the longest piece from the left again and again. A word with a part
// that no piece covers is dropped whole: half a word would mean something else.
func (v vocabulary) appendWord(ids []int32, word string) []int32 {
	if id, ok := v.first[word]; ok {
		return append(ids, id)
	}
	word = firstRunes(word, maxWord)
	before := len(ids)
	pieces := v.first
	for len(word) > 0 {
		id, length := v.longestPrefix(pieces, word)
		if length == 0 {
			return ids[:before]
		}
		ids = append(ids, id)
		word = word[length:]
		pieces = v.inside
	}
	return ids
}

// longestPrefix returns the longest piece that word begins with; length 0 means none.
func (v vocabulary) longestPrefix(pieces map[string]int32, word string) (id int32, length int) {
	for n := min(len(word), v.longest); n > 0; n-- {
		if id, ok := pieces[word[:n]]; ok {
			return id, n
		}
	}
	return 0, 0
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
