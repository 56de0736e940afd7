package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

func credit(t *testing.T, l *postgres.Ledger, name string, helped bool, ids ...string) []string {
	t.Helper()
	changed, err := l.Credit(t.Context(), step(memory.ActionCredit, name), memory.CreditInput{IDs: ids, Helped: helped, Project: "p", Session: "s", Reason: "the test passes now"})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestCreditOnce(t *testing.T) {
	t.Parallel()
	later := day0.Add(time.Hour)
	l := open(t, later)
	r, gone := rec(memory.Memories, "Run go generate first."), rec(memory.Memories, "Forgotten.", 0, 1, 0, 0)
	store(t, l, r)
	store(t, l, gone)
	if _, err := l.Forget(t.Context(), step(memory.ActionForget, "f"), []string{gone.ID}, false); err != nil {
		t.Fatal(err)
	}
	sync(t, l)
	unknown := memory.NewID("", "", "x")
	for range 2 {
		if ids := credit(t, l, "up", true, r.ID, gone.ID, unknown, r.ID); !slices.Equal(ids, []string{r.ID}) {
			t.Errorf("credited %v", ids)
		}
	}
	d := get(t, l, r.ID)
	if d.Confidence != memory.Credit(.5, true) || !d.LastAccessed.Equal(later) {
		t.Errorf("confidence %v, accessed %v", d.Confidence, d.LastAccessed)
	}
	if told := sync(t, l); len(told) != 1 || told[0].Confidence != d.Confidence {
		t.Errorf("the index was told %+v", told)
	}
	credit(t, l, "down", false, r.ID)
	if got, want := get(t, l, r.ID).Confidence, memory.Credit(d.Confidence, false); got != want {
		t.Errorf("confidence %v, want %v", got, want)
	}
	h := history(t, l, r.ID)
	if len(h.Versions) != 1 || len(h.Audit) != 3 || h.Audit[1].Action != memory.ActionCredit || h.Audit[1].Details["helped"] != true || h.Audit[1].Project != "p" {
		t.Errorf("%d versions, audit %+v", len(h.Versions), h.Audit)
	}
}

func TestCreditGoesToTheSurvivor(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	ids := storeAll(t, l, rec(memory.Memories, "One."), rec(memory.Memories, "Two.", 0, 1, 0, 0), rec(memory.Memories, "Three.", 0, 0, 1, 0))
	g := merge(t, l, "m1", ids[0], ids[1])
	g2 := merge(t, l, "m2", g.SurvivorID, ids[2])
	if got := credit(t, l, "c", false, ids...); !slices.Equal(got, []string{g2.SurvivorID}) {
		t.Errorf("credited %v, want %s", got, g2.SurvivorID)
	}
	ends, err := l.Survivors(t.Context(), append(ids, "no id"))
	if err != nil || len(ends) != 2 {
		t.Fatalf("survivors %v, %v", ends, err)
	}
	for from, to := range ends {
		if from == to || to != g2.SurvivorID {
			t.Errorf("%s leads to %s, want %s", from, to, g2.SurvivorID)
		}
	}
}

func storeAll(t *testing.T, l *postgres.Ledger, recs ...memory.Record) []string {
	t.Helper()
	var ids []string
	for _, r := range recs {
		ids = append(ids, store(t, l, r).ID)
	}
	return ids
}

func merge(t *testing.T, l *postgres.Ledger, name string, ids ...string) memory.MergedGroup {
	t.Helper()
	g, err := l.Merge(t.Context(), step(memory.ActionMerge, name), ids, memory.Scope{})
	if err != nil || len(g.MergedIDs) != len(ids)-1 {
		t.Fatalf("merged %+v, %v", g, err)
	}
	return g
}
