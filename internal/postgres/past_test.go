package postgres_test

import (
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// TestSearchPast looks at three moments: before an edit, after it, and after the
// memory was pruned or forgotten.
func TestSearchPast(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	at := func(days int) time.Time { return day0.AddDate(0, 0, days) }
	first := openAt(t, url, at(0))
	if err := first.UseModel(t.Context(), model, 4); err != nil {
		t.Fatal(err)
	}
	port, dentist := rec(memory.Memories, "The port is 80."), rec(memory.Memories, "My dentist is Dr Xylander.", 0, 1, 0, 0)
	store(t, first, port)
	store(t, first, dentist)
	text := "The port is 81."
	if _, err := openAt(t, url, at(2)).Update(t.Context(), changeOp(memory.ActionUpdate, "update/1"), memory.UpdateInput{ID: port.ID, Text: &text}, port.Vector, model); err != nil {
		t.Fatal(err)
	}
	if _, err := openAt(t, url, at(4)).Forget(t.Context(), changeOp(memory.ActionForget, "forget/1"), []string{dentist.ID}, false); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   time.Time
		want []string
	}{
		{at(-1), nil},
		{at(1), []string{"The port is 80."}}, // the dentist is forgotten now, so also then
		{at(3), []string{"The port is 81."}},
	} {
		found, err := first.SearchPast(t.Context(), c.at, model, memory.Search{Text: "which port", Vector: port.Vector, Projects: []string{"p"}, Limit: 5})
		if err != nil || len(found) != len(c.want) {
			t.Fatalf("at %s: %+v, %v; want %q", c.at, found, err, c.want)
		}
		for i, want := range c.want {
			if f := found[i]; f.Text != want || !f.HasCosine || f.Cosine < 0.99 || f.Keyword <= 0 {
				t.Errorf("at %s: %+v, want %q by meaning and by word", c.at, f, want)
			}
		}
	}
	for name, s := range map[string]memory.Search{
		"another project": {Projects: []string{"q"}}, "another type": {Types: []string{memory.TypeNote}}, "a tag": {Tags: []string{"x"}},
		"another collection": {Collections: []string{memory.Learnings}}, "excluded": {Exclude: []string{port.ID}},
	} {
		if found, err := first.SearchPast(t.Context(), at(3), model, s); err != nil || len(found) > 0 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
