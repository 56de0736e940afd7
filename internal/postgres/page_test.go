package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestPages(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	var ids []string // in the order of creation
	for i := range 7 {
		collection := []string{memory.Memories, memory.Learnings, memory.Episodes}[i%3]
		r := rec(collection, fmt.Sprintf("Number %d.", i))
		r.CreatedAt = day0.Add(time.Duration(i/2) * time.Hour) // two of each time
		if i == 5 {
			r.Source = memory.SourceHook
		}
		ids = append(ids, store(t, l, r).ID)
	}
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), ids[6:], false); err != nil {
		t.Fatal(err)
	}
	since := day0.Add(time.Hour)
	for name, c := range map[string]struct {
		page memory.Page
		want []string
	}{
		"all":         {memory.Page{}, ids[:6]},
		"collections": {memory.Page{Collections: []string{memory.Learnings, memory.Episodes}}, []string{ids[1], ids[2], ids[4], ids[5]}},
		"both":        {memory.Page{Collection: memory.Memories, Collections: []string{memory.Episodes}}, []string{ids[0], ids[2], ids[3], ids[5]}},
		"since":       {memory.Page{Since: &since}, ids[2:6]},
		"source":      {memory.Page{Source: memory.SourceHook}, ids[5:6]},
		"project":     {memory.Page{Project: "q"}, nil},
	} {
		for _, newest := range []bool{false, true} {
			c.page.Newest, c.page.After, c.page.Limit = newest, "", 2
			var got []memory.Record
			for {
				page, err := l.Records(t.Context(), c.page)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				got, c.page.After = append(got, page...), page[len(page)-1].ID
			}
			var gotIDs []string
			for i, r := range got {
				gotIDs = append(gotIDs, r.ID)
				if newest && i > 0 && r.CreatedAt.After(got[i-1].CreatedAt) {
					t.Errorf("%s: %v comes after %v", name, r.CreatedAt, got[i-1].CreatedAt)
				}
			}
			slices.Sort(gotIDs)
			if !slices.Equal(gotIDs, slices.Sorted(slices.Values(c.want))) {
				t.Errorf("%s, newest %v: got %v, want %v", name, newest, gotIDs, c.want)
			}
		}
	}
	if _, err := l.Records(t.Context(), memory.Page{Collections: []string{"x"}}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an unknown collection: %v", err)
	}
}
