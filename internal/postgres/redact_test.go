package postgres_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestRedact rewrites memories: what says the same afterwards is one, versions hold the old words no
// more, and an undo of an earlier edit brings back redacted words.
func TestRedact(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	const secret = "hunter2"
	one, two := rec(memory.Memories, "the door opens with hunter2"), rec(memory.Memories, "the door opens with hunter3", 0, 1, 0, 0)
	store(t, l, one)
	store(t, l, two)
	in := memory.Cleaning{Clean: func(_, text string) (string, bool) {
		clean := strings.NewReplacer(secret, "*", "hunter3", "*").Replace(text)
		return clean, clean != text
	}}
	all, err := l.EveryMemory(t.Context(), "", 10)
	check(t, err)
	var list []memory.Redacted
	for _, m := range all {
		after, changed := in.Memory(m)
		if !changed {
			t.Fatalf("%+v is not changed", m)
		}
		list = append(list, memory.Redacted{Before: m, After: after, Vector: memory.Vector{0, 0, 1, 0}, Model: model, Kinds: []string{"password"}})
	}
	op := step(memory.ActionRedact, "redact/0")
	done, err := l.Redact(t.Context(), op, list)
	check(t, err)
	if done.Count != 2 || done.Merged != 1 || done.Kinds["password"] != 2 {
		t.Errorf("redacted %+v", done)
	}
	if again, err := l.Redact(t.Context(), op, nil); err != nil || again.Count != 2 {
		t.Errorf("the step again: %+v, %v", again, err)
	}
	if n, err := l.SweepVersions(t.Context(), in); err != nil || n < 4 {
		t.Errorf("%d versions hold a secret, %v", n, err)
	}
	in.Apply = true
	_, err = l.SweepVersions(t.Context(), in)
	check(t, err)
	in.Apply = false
	if n, err := l.SweepVersions(t.Context(), in); err != nil || n != 0 {
		t.Errorf("%d versions still hold a secret, %v", n, err)
	}
	check(t, l.EachText(t.Context(), func(text memory.LedgerText) {
		if strings.Contains(text.Text, "hunter") {
			t.Errorf("%+v", text)
		}
	}))
	found, err := l.Get(t.Context(), []string{one.ID, two.ID})
	check(t, err)
	live := 0
	for _, m := range found {
		if m.State == memory.Live {
			live++
		}
	}
	if live != 1 || len(found) != 2 {
		t.Errorf("%d of %d are live, want 1 of 2", live, len(found))
	}
}

// TestSweepPlans takes away what names a project that has another name now.
func TestSweepPlans(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	in := memory.Cleaning{Clean: func(_, text string) (string, bool) { return text, false }}
	for _, apply := range []bool{false, true} {
		in.Apply = apply
		if n, err := l.SweepPlans(t.Context(), in); n != 0 || err != nil {
			t.Errorf("%d plans, %v", n, err)
		}
	}
}
