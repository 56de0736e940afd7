package memory

import (
	"cmp"
	"slices"
)

// Pair says how similar items A and B of a list are.
type Pair struct {
	A, B       int
	Similarity float64
}

// CompleteGroups returns groups of the items 0 to n-1 in which every two
// items are one of pairs: never a chain in which A is like B, B like C, but A
// not like C. Each item is in at most one group; groups have at least two
// items, in ascending order, and come in the order of their first items.
//
// The most similar pairs are joined first (ties: the lower items first), and
// two groups grow together only if every pair across them is given. That is
// complete-linkage clustering: the answer depends only on the set of pairs,
// not on their order.
func CompleteGroups(n int, pairs []Pair) [][]int {
	known := make(map[[2]int]float64, len(pairs))
	for _, p := range pairs {
		a, b := min(p.A, p.B), max(p.A, p.B)
		if a < 0 || b >= n || a == b {
			continue
		}
		if s, ok := known[[2]int{a, b}]; !ok || p.Similarity > s {
			known[[2]int{a, b}] = p.Similarity
		}
	}
	sorted := make([]Pair, 0, len(known))
	for k, s := range known {
		sorted = append(sorted, Pair{k[0], k[1], s})
	}
	slices.SortFunc(sorted, func(p, q Pair) int {
		return cmp.Or(cmp.Compare(q.Similarity, p.Similarity), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
	})
	groups := make(map[int][]int, len(sorted)) // by an item that stands for the group
	of := make(map[int]int, len(sorted))       // item to that
	members := func(item int) (int, []int) {
		if g, ok := of[item]; ok {
			return g, groups[g]
		}
		return item, []int{item}
	}
	for _, p := range sorted {
		ga, as := members(p.A)
		gb, bs := members(p.B)
		if ga == gb || !allKnown(known, as, bs) {
			continue
		}
		joined := slices.Concat(as, bs)
		delete(groups, gb)
		groups[ga] = joined
		for _, item := range joined {
			of[item] = ga
		}
	}
	out := make([][]int, 0, len(groups))
	for _, g := range groups {
		slices.Sort(g)
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// allKnown reports whether every pair across two groups is given.
func allKnown(known map[[2]int]float64, as, bs []int) bool {
	for _, a := range as {
		for _, b := range bs {
			if _, ok := known[[2]int{min(a, b), max(a, b)}]; !ok {
				return false
			}
		}
	}
	return true
}
