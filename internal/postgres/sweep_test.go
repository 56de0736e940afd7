package postgres_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// without takes away texts that hold a word, and rewrites those that hold another one.
func without(gone, rewritten string) memory.Cleaner {
	return func(_, text string) (string, bool) {
		if strings.Contains(text, gone) {
			return "", true
		}
		clean := strings.ReplaceAll(text, rewritten, "*")
		return clean, clean != text
	}
}

// TestSweep cleans what the ledger keeps beside the memories: first counted, then done, and a second
// time there is nothing to do.
func TestSweep(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	first, second := rec(memory.Memories, "the first"), rec(memory.Memories, "the second", 0, 1, 0, 0)
	store(t, l, first)
	store(t, l, second)
	message := func(uuid string, part int, text string) conversation.Message {
		return conversation.Message{
			ID: conversation.NewID("s", conversation.User, uuid), Part: part, Project: "p", Session: "s", Role: conversation.User, At: day0, Text: text,
		}
	}
	said := []conversation.Message{
		message("a", 0, "a walrus"), message("a", 1, "a second walrus"), message("b", 0, "nothing of it"), message("c", 0, "call bob about it"),
	}
	_, err := l.Archive(t.Context(), said, false)
	check(t, err)
	pin := func(text string, expect ...string) {
		t.Helper()
		q, err := memory.PinnedQuestion{Project: "p", Text: text, Expect: expect}.Clean()
		check(t, err)
		_, err = l.PinQuestion(t.Context(), step(memory.ActionPinQuestion, text), q)
		check(t, err)
	}
	pin("where is the walrus?", first.ID)
	pin("who is bob?", first.ID, second.ID)
	pin("who is *?", second.ID)
	pin("what is left?", second.ID)
	check(t, l.Note(t.Context(), step(memory.ActionArchive, "note"), "bob's project", "", map[string]any{"names": []string{"bob", "eve"}, "walrus": 1}))

	in := memory.Cleaning{Clean: without("walrus", "bob"), Name: func(_, name string, _ int) string { return strings.ReplaceAll(name, "bob", "*") }, Gone: []string{first.ID}}
	for _, apply := range []bool{false, true, true} {
		want := [3]int{2, 2, 1}
		in.Apply = apply
		var got [3]int
		for i, sweep := range []memory.Sweep{l.SweepMessages, l.SweepQuestions, l.SweepAudit} {
			if got[i], err = sweep(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		if apply && in.Progress != nil {
			want = [3]int{}
		}
		if got != want {
			t.Errorf("apply %v: swept %v, want %v", apply, got, want)
		}
		if apply {
			in.Progress = func() {}
		}
	}
	again, err := l.Archive(t.Context(), said, false)
	check(t, err)
	if again.Forgotten != 1 || again.Changed != 1 || again.Known != 1 {
		t.Errorf("the same messages again: %+v", again)
	}
	found, err := l.Questions(t.Context(), "")
	check(t, err)
	for _, q := range found {
		if len(q.Expect) != 1 || q.Expect[0] != second.ID || strings.Contains(q.Text, "bob") {
			t.Errorf("%+v", q)
		}
	}
	if len(found) != 2 {
		t.Errorf("%d questions are left, want those about * and about what is left", len(found))
	}
	check(t, l.EachText(t.Context(), func(text memory.LedgerText) {
		if text.Place == memory.PlaceQuestion && strings.Contains(text.Text, "walrus") {
			t.Errorf("%+v", text)
		}
	}))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
