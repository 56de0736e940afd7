package memory

import (
	"cmp"
	"slices"
	"strings"
)

// repeatPenalty is how much of its likeness to what is taken counts against a memory.
const repeatPenalty = 0.7

// Summarize says in at most that many sentences what records hold, in words
// of theirs. It takes one memory after the other, each time the one that is
// nearest to the middle of all and least like those taken (maximal marginal
// relevance); confidence and importance decide between equals. From each it
// takes the first sentence, and puts them in the order of their creation.
// The same records give the same summary in whatever order they come.
func Summarize(records []Record, sentences int) Summary {
	out := Summary{Method: "extractive", Memories: len(records), IDs: []string{}}
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.ID, b.ID) })
	taken := pick(records, sentences)
	slices.SortFunc(taken, func(a, b Record) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	lines := make([]string, 0, len(taken))
	for _, r := range taken {
		lines = append(lines, lead(r.Text))
		out.IDs = append(out.IDs, r.ID)
	}
	out.Text = strings.Join(lines, "\n")
	return out
}

// pick chooses at most n records of different first sentences.
func pick(records []Record, n int) []Record {
	value, unit := worth(records)
	likeness := make([]float64, len(records)) // to the likest one taken
	used := make([]bool, len(records))
	said := make(map[string]bool)
	var taken []Record
	for len(taken) < n {
		best := -1
		for i := range records {
			if !used[i] && (best < 0 || value[i]-repeatPenalty*likeness[i] > value[best]-repeatPenalty*likeness[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		used[best] = true
		key := sentenceKey(lead(records[best].Text))
		if key == "" || said[key] {
			continue
		}
		said[key] = true
		taken = append(taken, records[best])
		for i := range records {
			likeness[i] = max(likeness[i], dot(unit[i], unit[best]))
		}
	}
	return taken
}

// worth returns for each record how near the middle it is and how well it is
// trusted, and its vector at unit length.
func worth(records []Record) ([]float64, []Vector) {
	unit := make([]Vector, len(records))
	for i, r := range records {
		unit[i] = r.Vector.Unit()
	}
	middle := MeanVector(unit...)
	value := make([]float64, len(records))
	for i, r := range records {
		value[i] = dot(unit[i], middle) + .3*r.Confidence + .3*r.Importance
		if r.Pinned {
			value[i] += .1
		}
	}
	return value, unit
}

// dot is the cosine of vectors of unit length, 0 if their lengths differ.
func dot(a, b Vector) float64 {
	if len(a) != len(b) {
		return 0
	}
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// lead returns the first sentence of a text that has words.
func lead(text string) string {
	for _, s := range sentencesOf(text) {
		if strings.ContainsFunc(s, ofWord) {
			return NormalizeText(s)
		}
	}
	return NormalizeText(text)
}
