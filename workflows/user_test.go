package workflows_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// Each audit row names the user who asked, also of calls that carry no user.
func TestAuditNamesTheUser(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	c := r.For("me")
	ids := make([]string, 2)
	for i, text := range []string{"Invoices are numbered by the year.", "Backups of the ledger run at four."} {
		out, err := c.Store(t.Context(), memory.StoreInput{Text: text, Project: "p", User: "me"})
		check(t, err)
		ids[i] = out.ID
	}
	_, err := c.Link(t.Context(), memory.Link{SourceID: ids[0], TargetID: ids[1], Type: memory.LinkBuildsOn})
	check(t, err)
	_, err = c.Credit(t.Context(), memory.CreditInput{IDs: ids[:1], Helped: true})
	check(t, err)
	_, err = c.CreditOnce(t.Context(), "once", memory.CreditInput{IDs: ids[:1], Helped: true})
	check(t, err)
	check(t, c.Record(t.Context(), []memory.Event{
		{ID: "inject/1", Action: memory.ActionInject, MemoryIDs: ids[:1]},
		{ID: "inject/2", Action: memory.ActionInject, MemoryIDs: ids[:1], User: "you"},
	}))
	h, err := r.ledger.History(t.Context(), ids[0])
	check(t, err)
	seen := map[string]int{}
	for _, row := range h.Audit {
		want := "me"
		if row.Step == "inject/2" {
			want = "you"
		}
		if row.User != want {
			t.Errorf("%s %s is by %q, want %q", row.Action, row.Step, row.User, want)
		}
		seen[row.Action]++
	}
	for action, n := range map[string]int{memory.ActionStore: 1, memory.ActionLink: 1, memory.ActionCredit: 2, memory.ActionInject: 2} {
		if seen[action] != n {
			t.Errorf("%d rows of %s, want %d: %v", seen[action], action, n, seen)
		}
	}
}
