// Package difference compares two versions of a memory, so that the command line and the
// console show the same: which words of its text went and came, and which of its fields changed.
package difference

import "strings"

// Op says what became of some words.
type Op int

// What becomes of words.
const (
	Kept Op = iota
	Removed
	Added
)

// Piece is some words with one fate.
type Piece struct {
	Op   Op
	Text string // words, with one blank between
}

// maxCells bounds the table of a comparison: a text of 32 KB has some
// thousands of words, and two of them make a table of millions.
const maxCells = 4_000_000

// Words compares two texts word by word, by the longest common subsequence. Where both
// texts are so long that the comparison would take too much memory, the middle in which
// they differ is one removed and one added piece.
func Words(before, after string) []Piece {
	a, b := strings.Fields(before), strings.Fields(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var c comparison
	c.keep(a[:head]...)
	c.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	c.keep(a[len(a)-tail:]...)
	c.flush()
	return c.out
}

// comparison gathers kept, removed and added words in their order.
type comparison struct {
	out                  []Piece
	kept, removed, added []string // since the last piece
}

func (c *comparison) keep(words ...string) {
	if len(words) == 0 {
		return
	}
	if len(c.removed)+len(c.added) > 0 {
		c.flush()
	}
	c.kept = append(c.kept, words...)
}

// flush ends the pieces that were gathered. Kept words come first: [comparison.keep] flushes
// before it takes the next ones.
func (c *comparison) flush() {
	for _, p := range []struct {
		op    Op
		words []string
	}{{Kept, c.kept}, {Removed, c.removed}, {Added, c.added}} {
		if len(p.words) > 0 {
			c.out = append(c.out, Piece{p.op, strings.Join(p.words, " ")})
		}
	}
	c.kept, c.removed, c.added = nil, nil, nil
}

// middle compares by the longest common subsequence of words.
func (c *comparison) middle(a, b []string) {
	if len(a)*len(b) > maxCells {
		c.removed, c.added = append(c.removed, a...), append(c.added, b...)
		return
	}
	common := make([][]int32, len(a)+1) // of what follows a[i] and b[j]
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			c.keep(a[i])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			c.removed, i = append(c.removed, a[i]), i+1
		default:
			c.added, j = append(c.added, b[j]), j+1
		}
	}
	c.removed, c.added = append(c.removed, a[i:]...), append(c.added, b[j:]...)
}
