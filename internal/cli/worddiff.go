package cli

import "strings"

// maxDiffCells bounds the table of a comparison: a text of 32 KB has some
// thousands of words, and two of them make a table of millions.
const maxDiffCells = 4_000_000

// wordDiff compares two versions of a text: [-removed words-] and {+added words+} stand
// between the unchanged words. Where both texts are so long that comparing
// them word by word would take too much memory, the middle in which they differ is one piece.
func wordDiff(before, after string) string {
	a, b := strings.Fields(before), strings.Fields(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var d diff
	d.kept(a[:head]...)
	d.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	d.kept(a[len(a)-tail:]...)
	return d.text()
}

// diff gathers words that stayed, went and came, in their order.
type diff struct {
	out        []string
	went, came []string // since the last word that stayed
}

func (d *diff) kept(words ...string) {
	if len(words) == 0 {
		return
	}
	d.flush()
	d.out = append(d.out, words...)
}

func (d *diff) flush() {
	if len(d.went) > 0 {
		d.out = append(d.out, "[-"+strings.Join(d.went, " ")+"-]")
	}
	if len(d.came) > 0 {
		d.out = append(d.out, "{+"+strings.Join(d.came, " ")+"+}")
	}
	d.went, d.came = nil, nil
}

func (d *diff) text() string {
	d.flush()
	return strings.Join(d.out, " ")
}

// middle compares by the longest common subsequence of words.
func (d *diff) middle(a, b []string) {
	if len(a)*len(b) > maxDiffCells {
		d.went, d.came = append(d.went, a...), append(d.came, b...)
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
			d.kept(a[i])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			d.went, i = append(d.went, a[i]), i+1
		default:
			d.came, j = append(d.came, b[j]), j+1
		}
	}
	d.went, d.came = append(d.went, a[i:]...), append(d.came, b[j:]...)
}
