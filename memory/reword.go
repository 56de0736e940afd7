package memory

import (
	"slices"
)

// mostLight is how many light words one of two wordings may have more.
const mostLight = 2

// reworded reports whether two texts say the same in other words: nothing but
// words differs. See [SameFact].
func reworded(a, b string) bool {
	language := LanguageOf(a + "\n" + b)
	return sameWording(wordingOf(language, a), wordingOf(language, b))
}

// sameWording is the guard before a merge. Each item of the list must agree, so
// that texts of an unforeseen form are kept apart:
//
//   - the words, each in one form, but for a few that carry no fact;
//   - numbers with their units, versions, paths, names and identifiers, as written;
//   - for each word, whether it is denied, and the preposition before it ("from
//     staging", "to staging");
//   - the order of all words that no preposition places: who does what to whom.
func sameWording(a, b wording) bool {
	lists := wordListsOf(a.language)
	keep, ok := shared(a.words, b.words, lists)
	if !ok || len(keep[0]) == 0 {
		return false
	}
	if inOneOrder(keep[0], keep[1]) {
		return true
	}
	// "Because it locks, call it late" is "Call it late, because it locks".
	for i := 1; i < len(keep[0]); i++ {
		if keep[0][i].clause != keep[0][i-1].clause && a.subordinate {
			turned := slices.Concat(keep[0][i:], keep[0][:i])
			if inOneOrder(turned, keep[1]) {
				return true
			}
		}
	}
	return false
}

// shared leaves out of both what only one of them has; false if that is more
// than light words.
func shared(a, b []wordSaid, lists *wordLists) ([2][]wordSaid, bool) {
	count := make(map[string]int, len(a))
	for _, w := range a {
		count[w.key]++
	}
	for _, w := range b {
		count[w.key]--
	}
	var out [2][]wordSaid
	for side, words := range [2][]wordSaid{a, b} {
		extra, sign := 0, 1-2*side
		for _, w := range slices.Backward(words) { // of two, the later one is the extra
			if count[w.key]*sign <= 0 {
				out[side] = append(out[side], w)
				continue
			}
			count[w.key] -= sign
			if extra++; extra > mostLight || w.value || w.not || !lists.light[w.key] {
				return out, false
			}
		}
		slices.Reverse(out[side])
	}
	return out, true
}

// inOneOrder reports whether two lists of the same words agree in what is said
// of each, and in the order of those that no preposition places.
func inOneOrder(a, b []wordSaid) bool {
	at := make(map[string][]int, len(b))
	for i, w := range b {
		at[w.key] = append(at[w.key], i)
	}
	last := -1
	for _, w := range a {
		places := at[w.key]
		i := slices.IndexFunc(places, func(i int) bool { return agree(w, b[i]) })
		if i < 0 {
			return false
		}
		place := places[i]
		at[w.key] = slices.Delete(slices.Clone(places), i, i+1)
		if movable(w, b[place]) {
			continue
		}
		if place < last {
			return false
		}
		last = place
	}
	return true
}

// movable reports whether a word may stand elsewhere: a preposition places it,
// or it is the verb of "we keep it" and of "it is kept".
func movable(a, b wordSaid) bool {
	return a.role != "" || b.role != "" || a.done && b.opens || a.opens && b.done
}

// agree reports whether the same is said of a word twice.
func agree(a, b wordSaid) bool {
	if a.not != b.not || a.value != b.value || a.caps != b.caps {
		return false
	}
	return a.role == b.role || a.role == "" && weakRole(b.role) || b.role == "" && weakRole(a.role)
}
