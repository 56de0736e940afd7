package memory_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

func TestCompleteGroups(t *testing.T) {
	t.Parallel()
	chain := []memory.Pair{{A: 0, B: 1, Similarity: .95}, {A: 1, B: 2, Similarity: .97}}
	if got := memory.CompleteGroups(3, chain); !reflect.DeepEqual(got, [][]int{{1, 2}}) {
		t.Errorf("a chain became %v, want only its closest pair", got)
	}
	full := append(chain, memory.Pair{A: 2, B: 0, Similarity: .93})
	if got := memory.CompleteGroups(3, full); !reflect.DeepEqual(got, [][]int{{0, 1, 2}}) {
		t.Errorf("a complete group became %v", got)
	}
}

func TestCompleteGroupsProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		var pairs []memory.Pair
		known := map[[2]int]bool{}
		for a := range n {
			for b := range a {
				if rapid.Bool().Draw(t, "near") {
					pairs = append(pairs, memory.Pair{A: a, B: b, Similarity: rapid.SampledFrom([]float64{.93, .95, 1}).Draw(t, "s")})
					known[[2]int{b, a}] = true
				}
			}
		}
		groups := memory.CompleteGroups(n, pairs)
		if again := memory.CompleteGroups(n, rapid.Permutation(pairs).Draw(t, "order")); !reflect.DeepEqual(groups, again) {
			t.Fatalf("the order of pairs matters: %v and %v", groups, again)
		}
		seen := map[int]bool{}
		for _, g := range groups {
			for i, a := range g {
				if seen[a] {
					t.Fatalf("%d is in two groups: %v", a, groups)
				}
				seen[a] = true
				for _, b := range g[i+1:] {
					if !known[[2]int{a, b}] {
						t.Fatalf("%d and %d are not a pair: %v", a, b, groups)
					}
				}
			}
		}
		for p := range known {
			if !seen[p[0]] && !seen[p[1]] {
				t.Fatalf("the pair %v was left alone: %v", p, groups)
			}
		}
	})
}
