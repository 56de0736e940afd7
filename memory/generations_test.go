package memory_test

import (
	"math"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestFlippedTwiceIsAsBefore goes to another model and back: the same generation is in force, and only
// the model that is not is one that was replaced.
func TestFlippedTwiceIsAsBefore(t *testing.T) {
	first, second := memory.Generation{Model: "a", Dimension: 3}, memory.Generation{Name: "g1", Model: "b", Dimension: 4}
	g := memory.Generations{Active: first, Beside: &second}
	if g.Follows("c") != true || (memory.Generations{Active: first}).Follows("a") {
		t.Error("a worker follows while there are two generations, and not before")
	}
	there := g.Flipped()
	if there.Active != second || *there.Beside != first || !there.Old || !slices.Equal(there.Replaced, []string{"a"}) {
		t.Errorf("flipped: %+v", there)
	}
	back := there.Flipped()
	if back.Active != first || *back.Beside != second || !slices.Equal(back.Replaced, []string{"b"}) {
		t.Errorf("flipped back: %+v", back)
	}
	back.Dropping = true
	if back.Written() != nil {
		t.Error("what is being deleted is written to")
	}
}

func TestAnswersCompared(t *testing.T) {
	var a memory.AnswersCompared
	a.Add(nil, nil)
	a.Add([]string{"x", "y"}, []string{"x", "y"})
	a.Add([]string{"x", "y"}, []string{"y", "z"})
	a.Add([]string{"x"}, nil)
	if a.Asked != 3 || a.Left != 1 || a.SameFirst != 1 || math.Abs(a.Overlap-0.5) > 1e-9 {
		t.Errorf("compared: %+v, want an overlap of one half", a)
	}
	a = memory.AnswersCompared{}
	eleven := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
	if a.Add(eleven, eleven); a.Overlap != 1 {
		t.Errorf("more than ten answers: %+v", a)
	}
}

func TestReembedInput(t *testing.T) {
	for _, in := range []memory.ReembedInput{
		{}, {NoFlip: true}, {Model: "a", Back: true}, {Back: true, Drop: true}, {Model: "two words"}, {Model: "esc\x1b[2J"}, {Drop: true, NoFlip: true},
	} {
		if _, err := in.Clean(); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%+v: %v, want it refused", in, err)
		}
	}
	for _, in := range []memory.ReembedInput{{Model: "all-minilm:latest", NoFlip: true}, {Back: true}, {Drop: true}} {
		if _, err := in.Clean(); err != nil {
			t.Errorf("%+v: %v", in, err)
		}
	}
}
