package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/internal/redact/redacttest"
)

// spotted are the detectors that look at spots only.
func spotted(t testing.TB) []*detector {
	t.Helper()
	rules, err := sharedRules()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Concat(rules.secrets, rules.privacy), func(d *detector) bool { return d.spots == nil })
}

// missed compares a detector's findings at its spots with its findings in the
// whole text.
func missed(d *detector, text string) string {
	t := newScanText(text)
	at, all := d.scan(t, nil), d.scanWindow(t, span{end: len(text)}, nil)
	if slices.Equal(at, all) || t.nums < d.minDigits {
		return ""
	}
	return fmt.Sprintf("%s: %v at its spots, %v in all of %q", d.kind, at, all, text)
}

// valid are one or more of each number that is looked for at spots, in the ways
// in which they are written.
var valid = []string{
	"4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "3782 822463 10005", "378282246310005", "30569309025904",
	"DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32", "MT84MALT011000012345MTLCAST001S",
	"212-555-0123", "(212) 555-0123", "1 (212) 555-0123", "212.555.0123", "1-212-555-0123",
	"536-90-4399", "AB123456C", "AB 12 34 56 C", "RSSMRA85T10A562S",
	"1 84 12 76 451 089 46", "255081416802538", "1 85 05 2A 123 456 41", "2 85 05 2B 123 456 01",
	"5KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS", "L1uyy5qTuGrVXrmrsvHWHgVzW9kKdrp27wBC7Vs6nZDTF2BRUVwy",
	"MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs9", "52:54:00:12:34:56", "52-54-00-AB-cd-EF",
}

// Every number of the list is found, by at least one detector, at a spot.
func TestSpotsFindNumbers(t *testing.T) {
	t.Parallel()
	found := 0
	for _, number := range valid {
		for _, text := range []string{number, "It is " + number + ", they say.", "(" + number + ")", "x\n" + number + "\ny"} {
			ts := newScanText(text)
			for _, d := range spotted(t) {
				found += len(d.scan(ts, nil))
				if m := missed(d, text); m != "" {
					t.Error(m)
				}
			}
		}
	}
	if found < 3*len(valid) {
		t.Errorf("%d finds of %d numbers: the list tests nothing", found, len(valid))
	}
}

// Looking at spots misses nothing that the expression finds in the whole text.
func TestSpotsMissNothing(t *testing.T) {
	t.Parallel()
	detectors := spotted(t)
	glue := []string{"", " ", "  ", ", ", "\n", ".", "-", ":", "/", "(", ")", "_", "+", "=", "é", "a", "A", "AB ", "7", "12", "2A ", "no. ", "port 5432 "}
	rapid.Check(t, func(rt *rapid.T) {
		pool := slices.Clone(valid)
		for _, s := range redacttest.Secrets(rapid.Uint64Range(0, 1<<16).Draw(rt, "seed")) {
			pool = append(pool, s.Sentence, s.Value)
		}
		var text strings.Builder
		for range rapid.IntRange(1, 6).Draw(rt, "parts") {
			text.WriteString(rapid.SampledFrom(glue).Draw(rt, "glue"))
			text.WriteString(rapid.SampledFrom(pool).Draw(rt, "part"))
		}
		text.WriteString(rapid.SampledFrom(glue).Draw(rt, "end"))
		for _, d := range detectors {
			if m := missed(d, text.String()); m != "" {
				rt.Fatal(m)
			}
		}
	})
}

// A word that is in a text is never ruled out.
func TestPairsRuleNothingOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var p pairs
		p.add(text)
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		to := rapid.IntRange(from, len(text)).Draw(t, "to")
		if !p.mayHold(text[from:to]) {
			t.Fatalf("%q is not in %q", text[from:to], text)
		}
	})
	var p pairs
	p.add("the token")
	if p.mayHold("password") {
		t.Error("nothing is ruled out")
	}
}

func FuzzSpots(f *testing.F) {
	for _, number := range valid {
		f.Add("a " + number + " b")
	}
	detectors := spotted(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range detectors {
			if m := missed(d, text); m != "" {
				t.Error(m)
			}
		}
	})
}
