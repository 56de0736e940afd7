package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// fixedPlan is a plan of two pages.
func fixedPlan(q memory.PlanQuery) (memory.PlanPage, error) {
	about := func(id, collection, text string) memory.PlannedMemory {
		return memory.PlannedMemory{ID: id, Collection: collection, Text: text, CreatedAt: day(1)}
	}
	steps := []memory.PlannedStep{
		{Number: 1, PlanStep: memory.PlanStep{
			Action: memory.ActionMerge, Collection: memory.Memories, Project: "shop", IDs: []string{idA, idB}, Marks: []string{"a", "b"},
			Why: "they say the same (similarity 0.95)",
		}, Memories: []memory.PlannedMemory{
			about(idA, memory.Memories, "We use goose."), about(idB, memory.Learnings, "We use goose. It runs at the start.\x1b[2J"),
		}, Text: "We use goose. It runs at the start."},
		{Number: 2, PlanStep: memory.PlanStep{
			Action: memory.ActionDecay, Collection: memory.Memories, IDs: []string{idA}, Before: []float64{0.5}, After: []float64{0.47},
		}},
		{Number: 3, PlanStep: memory.PlanStep{
			Action: memory.ActionPrune, Collection: memory.Memories, Project: "shop", IDs: []string{idB}, Marks: []string{"c"},
			Why: "confidence 0.21, not used since 2026-05-01, named as nearly pruned on 2026-11-01",
		}, Memories: []memory.PlannedMemory{about(idB, memory.Memories, "The old shop ran on two disks.")}},
	}
	var plain []memory.PlanStep
	for _, s := range steps {
		plain = append(plain, s.PlanStep)
	}
	head := memory.PlanHead{
		ID: "organize/x", Ledger: "l", At: day(4), Steps: len(steps), Digest: memory.DigestOf(plain), Totals: memory.TotalsOf(plain),
	}
	if q.After == 0 {
		return memory.PlanPage{Head: head, Steps: steps[:2], Next: 2}, nil
	}
	return memory.PlanPage{Head: head, Steps: steps[q.After:]}, nil
}

// TestAPlanIsWhatWasWritten writes a plan, reads it again, and refuses one whose
// steps somebody changed.
func TestAPlanIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	p, err := readWholePlan(t.Context(), fixed(), "organize/x")
	if err != nil || len(p.Steps) != 3 {
		t.Fatalf("%d steps, %v", len(p.Steps), err)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parsePlan(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
	for what, change := range map[string][2]string{
		"another memory": {idB, idA}, "another mark": {`"c"`, `"d"`}, "another action": {`"prune"`, `"merge"`}, "another form": {"plan/1", "plan/2"},
		"no id": {`"organize/x"`, `""`}, "not all of it": {`}]}`, `}]`}, "more": {`}]}`, `}]}{}`},
	} {
		changed := bytes.ReplaceAll(data, []byte(change[0]), []byte(change[1]))
		if _, err := parsePlan(bytes.NewReader(changed)); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// FuzzPlanFile reads any file as a plan: one that is accepted has the digest of its steps.
func FuzzPlanFile(f *testing.F) {
	p, err := readWholePlan(f.Context(), fixed(), "organize/x")
	if err != nil {
		f.Fatal(err)
	}
	data, _ := json.Marshal(p)
	f.Add(data)
	f.Add([]byte(`{"format":"mneme-plan/1","head":{"id":"x","digest":""},"steps":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePlan(bytes.NewReader(data))
		if err == nil && (p.digest() != p.Head.Digest || p.Head.ID == "") {
			t.Errorf("accepted %+v", p)
		}
	})
}

func TestSideBySide(t *testing.T) {
	t.Parallel()
	got := sideBySide("one two three\nfour", "five", 60, "  ")
	want := "  one two three               │ five\n  four                        │"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if narrow := sideBySide("one", "two", 30, "  "); narrow != "  one\n  two" {
		t.Errorf("without room: %q", narrow)
	}
	for _, line := range strings.Split(sideBySide(strings.Repeat("word ", 50), strings.Repeat("ö ", 90), 80, "  "), "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("%d wide: %s", utf8.RuneCountInString(line), line)
		}
	}
}
