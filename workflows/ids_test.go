package workflows_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestShortIDs calls everything that takes an id with the beginning of one.
func TestShortIDs(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	ctx := t.Context()
	id := r.store(t, "The API listens on port 8443.")
	short := memory.ShortID(id)

	got, err := r.Get(ctx, []string{short, "ffffffff"})
	if err != nil || len(got) != 1 || got[0].ID != id {
		t.Errorf("get: %+v, %v", got, err)
	}
	importance := .9
	if m, err := r.Update(ctx, memory.UpdateInput{ID: short, Importance: &importance}); err != nil || m.ID != id {
		t.Errorf("update: %+v, %v", m, err)
	}
	newer, err := r.Store(ctx, memory.StoreInput{
		Text: "Releases are cut on Thursdays.", Links: []memory.LinkRequest{{TargetID: short, Type: memory.LinkClarifies}},
	})
	check(t, err)
	link, err := r.Link(ctx, memory.Link{SourceID: memory.ShortID(newer.ID), TargetID: strings.ToUpper(short), Type: memory.LinkBuildsOn})
	if err != nil || link.SourceID != newer.ID || link.TargetID != id || link.ID != memory.NewLinkID(newer.ID, id, memory.LinkBuildsOn) {
		t.Errorf("link: %+v, %v", link, err)
	}
	if _, err := r.Link(ctx, memory.Link{SourceID: short, TargetID: id, Type: memory.LinkBuildsOn}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("linked to itself under two names: %v", err)
	}
	if related, err := r.Related(ctx, short, 1, 10); err != nil || len(related) != 1 || related[0].ID != newer.ID {
		t.Errorf("related: %+v, %v", related, err)
	}
	if h, err := r.History(ctx, short); err != nil || h.Memory.ID != id {
		t.Errorf("history: %+v, %v", h, err)
	}
	if res, err := r.Recall(ctx, memory.Query{Text: "which port?", Exclude: []string{short}}); err != nil || len(res.Hits) != 1 || res.Hits[0].ID != newer.ID {
		t.Errorf("recall without it: %+v, %v", res.Hits, err)
	}
	receipt, err := r.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{IDs: []string{short}}})
	if err != nil || receipt.Count != 1 || receipt.IDs[0] != id {
		t.Errorf("forget: %+v, %v", receipt, err)
	}
	if _, err := r.Update(ctx, memory.UpdateInput{ID: "ffffffff", Importance: &importance}); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("update nobody: %v", err)
	}
}
