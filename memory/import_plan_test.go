package memory_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

// itemFrom is an item of an import, and memoryFrom the memory that it becomes.
func itemFrom(t interface{ Fatal(args ...any) }, ref, text string) memory.StoreInput {
	in, err := memory.StoreInput{Text: text, Project: "p", SourceRef: ref}.Clean()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func memoryFrom(in memory.StoreInput) memory.Memory {
	return memory.Memory{
		ID: in.ID(), Project: in.Project, Collection: in.Collection, Text: in.Text, Tags: in.Tags,
		SourceRef: in.SourceRef, ContentHash: memory.ContentHash(in.Text), State: memory.Live,
	}
}

func TestPlanImport(t *testing.T) {
	t.Parallel()
	was := func(ref, text string) memory.Memory { return memoryFrom(itemFrom(t, ref, text)) }
	there := []memory.Memory{
		was("file:a.md#Same", "same"), was("file:a.md#Changed", "old"), was("file:a.md#Old name", "renamed"),
		was("file:a.md#Gone", "gone"), was("file:b.md#Unread", "kept"),
	}
	byHand := itemFrom(t, "file:a.md#By hand", "by hand")
	items := []memory.StoreInput{
		itemFrom(t, "file:a.md#Same", "same"), itemFrom(t, "file:a.md#Changed", "new"), itemFrom(t, "file:a.md#New name", "renamed"),
		itemFrom(t, "file:a.md#New", "new text"), byHand,
	}
	scope := memory.ImportScope{Prefixes: []string{"file:"}, Sync: true, Keep: []string{"file:b.md"}}
	plan := memory.PlanImport(items, scope, there, map[string]bool{byHand.ID(): true})
	for i, want := range []memory.ImportFate{memory.ImportSame, memory.ImportChanged, memory.ImportMoved, memory.ImportNew, memory.ImportSame} {
		if got := plan.Items[i]; got.Fate != want {
			t.Errorf("%s is %s, want %s", items[i].SourceRef, got.Fate, want)
		}
	}
	if plan.Items[2].Was != "file:a.md#Old name" || plan.Items[1].Old != "old" {
		t.Errorf("items %+v", plan.Items)
	}
	if len(plan.Gone) != 1 || plan.Gone[0].SourceRef != "file:a.md#Gone" {
		t.Errorf("gone %+v", plan.Gone)
	}
	scope.Sync = false // an export may be of a part: nothing is gone, and nothing moves
	plan = memory.PlanImport(items, scope, there, nil)
	if plan.Count(memory.ImportGone) > 0 || plan.Count(memory.ImportMoved) > 0 || plan.Count(memory.ImportNew) != 3 {
		t.Errorf("without sync: %+v", plan)
	}
}

// TestPlanImportOfTheSameIsNothing: what a plan makes of a source is what the next plan finds.
func TestPlanImportOfTheSameIsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		draw := func(label string) []memory.StoreInput {
			var out []memory.StoreInput
			for i, text := range rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 0, 6, rapid.ID[int]).Draw(r, label) {
				out = append(out, itemFrom(r, fmt.Sprintf("file:a.md#%d", i), fmt.Sprintf("text %d", text)))
			}
			return out
		}
		var there []memory.Memory
		for _, in := range draw("before") {
			there = append(there, memoryFrom(in))
		}
		items := draw("after")
		scope := memory.ImportScope{Prefixes: []string{"file:"}, Sync: true}
		plan := memory.PlanImport(items, scope, there, nil)
		if len(plan.Items) != len(items) {
			r.Fatalf("%d fates for %d items", len(plan.Items), len(items))
		}
		kept := len(items) - plan.Count(memory.ImportNew)
		if kept+len(plan.Gone) != len(there) {
			r.Fatalf("%d memories: %d are kept and %d gone", len(there), kept, len(plan.Gone))
		}
		there = nil
		for _, in := range items {
			there = append(there, memoryFrom(in))
		}
		if again := memory.PlanImport(items, scope, there, nil); again.Count(memory.ImportSame) != len(items) || len(again.Gone) > 0 {
			r.Fatalf("the second time: %+v", again)
		}
	})
}
