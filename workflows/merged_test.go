package workflows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestMergedAwayIDs asks by the id of a memory that was merged into another:
// getting it answers with the survivor and says so, and forgetting it is
// refused with the survivor's id, because the text lives on there with others.
func TestMergedAwayIDs(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	ids := []string{r.store(t, "The API listens on port 8443."), r.store(t, "The tests need PostgreSQL.")}
	g, err := r.Merge(t.Context(), ids)
	check(t, err)
	merged := g.MergedIDs[0]

	found, err := r.Get(t.Context(), []string{merged, g.SurvivorID, memory.NewID("", "", "nobody")})
	check(t, err)
	if len(found) != 1 || found[0].ID != g.SurvivorID || !slices.Equal(found[0].StandsFor, []string{merged}) || found[0].Text != g.Text {
		t.Errorf("got %+v", found)
	}

	forget := func(dry bool, ids ...string) (memory.ForgetReceipt, error) {
		return r.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: ids}, DryRun: dry})
	}
	other := r.store(t, "Releases are cut on Thursdays.")
	for _, dry := range []bool{true, false} {
		receipt, err := forget(dry, other, merged)
		if memory.CodeOf(err) != memory.Conflict || !strings.Contains(fmt.Sprint(err), g.SurvivorID) ||
			!strings.Contains(memory.HintOf(err), g.SurvivorID) || receipt.Count != 0 {
			t.Errorf("dry run %v: %+v, %v (%s); want a refusal that names %s", dry, receipt, err, memory.HintOf(err), g.SurvivorID)
		}
	}
	if found, err := r.Get(t.Context(), []string{other}); err != nil || found[0].State != memory.Live {
		t.Errorf("the refused call forgot something: %+v, %v", found, err)
	}
	receipt, err := forget(false, merged, g.SurvivorID)
	if err != nil || receipt.Count != 1 || !receipt.Verified {
		t.Errorf("with the survivor: %+v, %v", receipt, err)
	}
	for _, id := range ids {
		h, err := r.ledger.History(t.Context(), id)
		check(t, err)
		if h.Memory.State != memory.Forgotten || h.Memory.Text != "" {
			t.Errorf("%s is still %s", id, h.Memory.State)
		}
	}
	// What is gone is no longer merged into anything: nothing is left to refuse.
	if receipt, err := forget(false, merged); err != nil || receipt.Count != 0 {
		t.Errorf("asked again: %+v, %v", receipt, err)
	}
}

// TestEditIsFoundByItsNewText edits a memory and asks for both texts: index
// and ledger must agree on the new one.
func TestEditIsFoundByItsNewText(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	id := r.store(t, "The staging database is called aurora.")
	m, err := r.Update(t.Context(), memory.UpdateInput{ID: id, Text: ptr("Backups are kept for ninety days."), Pinned: ptr(true)})
	check(t, err)
	if m.ID != id || !m.Pinned {
		t.Errorf("updated to %+v", m)
	}
	hits, err := r.Recall(t.Context(), memory.Query{Text: "how long are backups kept", Project: "p"})
	check(t, err)
	if len(hits.Hits) != 1 || hits.Hits[0].ID != id || hits.Hits[0].Text != *ptr("Backups are kept for ninety days.") {
		t.Errorf("recalled %+v", hits)
	}
	other := r.store(t, "The staging database is called aurora.")
	if other == id {
		t.Error("the old text was swallowed by the edited memory")
	}
	_, err = r.Update(t.Context(), memory.UpdateInput{ID: other, Text: ptr("Backups are kept for ninety days.")})
	if memory.CodeOf(err) != memory.Conflict || !strings.Contains(fmt.Sprint(err), id) {
		t.Errorf("a second memory with the same text: %v, want a conflict that names %s", err, id)
	}
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	if err != nil || !report.Equal {
		t.Errorf("ledger and index: %+v, %v", report, err)
	}
}

// TestNoSecretReachesAHistory sends a secret through every new call and looks
// for it in what Temporal keeps of them.
func TestNoSecretReachesAHistory(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	said := "The token is " + secret + " for now."
	ctx := t.Context()
	id := r.store(t, "The token is kept elsewhere.")
	_, err := r.Duplicate(ctx, memory.StoreInput{Text: said, Project: "p", Tags: []string{secret}})
	check(t, err)
	_, err = r.Credit(ctx, memory.CreditInput{IDs: []string{id}, Reason: said, Session: secret, Project: secret})
	check(t, err)
	_, err = r.Update(ctx, memory.UpdateInput{ID: id, Text: ptr(said), Tags: ptr([]string{secret})})
	check(t, err)
	check(t, r.Record(ctx, []memory.Event{{
		ID: secret, Action: "inject", Project: secret, Session: secret,
		Details: map[string]any{"why": said, "list": []string{said}, "in": map[string]any{secret: said}},
	}}))
	_, err = r.List(ctx, memory.Page{Project: secret, Newest: true})
	check(t, err)
	n := 0
	for workflow := range r.workflowIDs(t) {
		for _, h := range r.histories(t, workflow[:len(workflow)-len(suffix(workflow))]) {
			for _, e := range h.GetEvents() {
				n++
				if containsSecret(e.ProtoReflect(), secret) {
					t.Errorf("%s: event %d holds the secret", workflow, e.GetEventId())
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d events were looked at", n)
	}
	for a, err := range r.ledger.EachAudit(ctx, 0, 1<<40) {
		check(t, err)
		if strings.Contains(fmt.Sprintf("%+v %s", a, a.Details), secret) {
			t.Errorf("the audit holds the secret: %+v", a)
		}
	}
}
