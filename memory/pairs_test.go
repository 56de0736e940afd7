package memory

import (
	"encoding/json"
	"os"
	"testing"
	"testing/quick"
)

// pair is what testdata/pairs.json holds: two texts, and what should become of
// them. It is written by hand, in the form of the shared scenarios and about
// other subjects; the rules were made without it, and corrected by it once.
type pair struct {
	A, B    string
	Verdict string // same, different or replaces
	Kind    string // of same: trivial, near or far
}

func readPairs(t *testing.T) []pair {
	t.Helper()
	raw, err := os.ReadFile("testdata/pairs.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// shareOf is the share of the pairs of a verdict and kind for which a rule holds.
func shareOf(all []pair, verdict, kind string, holds func(p pair) bool) float64 {
	n, right := 0, 0
	for _, p := range all {
		if p.Verdict != verdict || kind != "" && p.Kind != kind {
			continue
		}
		if n++; holds(p) {
			right++
		}
	}
	return float64(right) / float64(n)
}

func TestPairsMerge(t *testing.T) {
	t.Parallel()
	all := readPairs(t)
	same := func(p pair) bool { return SameFact(p.A, p.B) && SameFact(p.B, p.A) }
	for kind, least := range map[string]float64{"trivial": 1, "near": .85} {
		if got := shareOf(all, "same", kind, same); got < least {
			t.Errorf("%.2f of the %s rewordings merge, want %.2f", got, kind, least)
		}
	}
	for _, p := range all {
		if p.Verdict != "same" && (SameFact(p.A, p.B) || SameFact(p.B, p.A)) {
			t.Errorf("two facts became one: %q and %q", p.A, p.B)
		}
	}
}

// A fact told in another sentence is not merged: the answer to the store names the older memory.
func TestPairsAreNamed(t *testing.T) {
	t.Parallel()
	all := readPairs(t)
	named := func(p pair) bool {
		share, _ := Compare(p.B).Alike(p.A, 0)
		return share > 0 || SameFact(p.A, p.B)
	}
	if got := shareOf(all, "same", "far", named); got < .85 {
		t.Errorf("%.2f of what is told in another sentence is merged or named, want .85", got)
	}
	// Texts of different pairs have nothing to do with each other.
	n, wrong := 0, 0
	for i, p := range all {
		for _, q := range all[i+1:] {
			n++
			if named(pair{A: p.A, B: q.B}) {
				wrong++
			}
		}
	}
	if most := n / 500; wrong > most {
		t.Errorf("%d of %d unrelated texts are named as much alike, want at most %d", wrong, n, most)
	}
}

func TestPairsReplace(t *testing.T) {
	t.Parallel()
	all := readPairs(t)
	past := func(p pair) bool { return replaces(sayingOf(p.B), sayingOf(p.A)) }
	if got := shareOf(all, "replaces", "", past); got < .9 {
		t.Errorf("%.2f of what says that something is over is understood, want .90", got)
	}
	for _, p := range all {
		if p.Verdict != "replaces" && past(p) {
			t.Errorf("nothing in %q says that %q is over", p.B, p.A)
		}
	}
}

// What a memory says stays said: a change of one value, however it is worded, is no rewording.
func TestRewordedKeepsValues(t *testing.T) {
	t.Parallel()
	for _, change := range []struct{ a, b string }{
		{"The job runs at 02:00 in production.", "The job runs at 02:00 in staging."},
		{"The job runs for 30 minutes.", "The job runs for 30 seconds."},
		{"Copy it from staging to production.", "Copy it from production to staging."},
		{"Use tabs, not spaces.", "Use spaces, not tabs."},
		{"If the cache is cold, the job runs.", "If the job runs, the cache is cold."},
		{"Start the proxy, then the worker.", "Start the worker, then the proxy."},
		{"You must not run it twice.", "You need not run it twice."},
		{"You must not run it twice.", "You do not have to run it twice."},
		{"Read release/4.1 from disk.", "Read release/4.2 from disk."},
		{"Call it before the migration.", "Call it after the migration."},
		{"It works with the proxy.", "It works without the proxy."},
		{"Die Waage muss laufen.", "Die Waage muss nicht laufen."},
		{"El puerto está abierto.", "La puerta está abierta."},
	} {
		if SameFact(change.a, change.b) || SameFact(change.b, change.a) {
			t.Errorf("%q and %q became one", change.a, change.b)
		}
	}
}

func TestRewordedProperties(t *testing.T) {
	t.Parallel()
	symmetric := func(a, b string) bool { return reworded(a, b) == reworded(b, a) }
	if err := quick.Check(symmetric, nil); err != nil {
		t.Error(err)
	}
	all := readPairs(t)
	for i, p := range all {
		for _, q := range all[i:] {
			if !symmetric(p.A, q.B) {
				t.Errorf("the order matters: %q and %q", p.A, q.B)
			}
		}
		if wording := wordingOf(LanguageOf(p.A), p.A); !sameWording(wording, wording) {
			t.Errorf("%q does not say what it says", p.A)
		}
		if replaces(sayingOf(p.A), sayingOf(p.A)) || otherValue(sayingOf(p.A), sayingOf(p.A)) {
			t.Errorf("%q replaces itself", p.A)
		}
	}
	merged := func(a, b string) bool { return MergeTexts(MergeTexts(a, b), b) == MergeTexts(a, b) }
	for _, p := range all {
		if !merged(p.A, p.B) {
			t.Errorf("merging %q a second time adds something", p.B)
		}
		if SameFact(p.A, p.B) && MergeTexts(p.A, p.B) != p.A {
			t.Errorf("%q is said twice: %q", p.A, MergeTexts(p.A, p.B))
		}
	}
}

func FuzzReworded(f *testing.F) {
	f.Add("The job runs at 02:00.", "At 2 am the job doesn't run")
	f.Add("`a b` isn't -- 1,000 GB’s", "x-y Z's n't 5% 07:00:00")
	f.Fuzz(func(t *testing.T, a, b string) {
		if reworded(a, b) != reworded(b, a) {
			t.Errorf("the order of %q and %q matters", a, b)
		}
		if x := sayingOf(a); replaces(x, x) {
			t.Errorf("%q replaces itself", a)
		}
	})
}
