package postgres_test

import (
	"testing"

	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// TestIdentity opens the same ledger twice, and then a second ledger.
func TestIdentity(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	var ids [2]string
	for i := range ids {
		id, err := openAt(t, url, day0).Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = id
	}
	if !memory.ValidID(ids[0]) || ids[0] != ids[1] {
		t.Errorf("one ledger is called %q", ids)
	}
	other, err := open(t, day0).Identity(t.Context())
	if err != nil || other == ids[0] {
		t.Errorf("another ledger is called %q, as the first, %v", other, err)
	}
}

// TestIdentityOfAnOldLedger upgrades a ledger from a release without
// identities: it gets an identity and keeps its memories.
func TestIdentityOfAnOldLedger(t *testing.T) {
	t.Parallel()
	url := testkit.Schema(t, server)
	old := openAt(t, url, day0)
	kept := store(t, old, rec(memory.Memories, "kept over the upgrade"))
	_, schema := schemaOf(t, url)
	if _, err := schema.DownTo(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	fresh, err := postgres.Open(t.Context(), postgres.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fresh.Close)
	if id, err := fresh.Identity(t.Context()); err == nil || memory.HintOf(err) == "" {
		t.Errorf("before the migration it is called %q, %v", id, err)
	}
	if err := fresh.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.Identity(t.Context()); err != nil {
		t.Error(err)
	}
	if found, err := fresh.Get(t.Context(), []string{kept.ID}); err != nil || len(found) != 1 {
		t.Errorf("the memory is gone: %v, %v", found, err)
	}
}

// TestWrote tells the points of a ledger from those of others.
func TestWrote(t *testing.T) {
	t.Parallel()
	l := open(t, day0)
	in, changed := rec(memory.Memories, "in step"), rec(memory.Memories, "changed since")
	store(t, l, in)
	sync(t, l)
	store(t, l, changed)
	const elsewhere = "0f0e0d0c-0b0a-8908-8706-050403020100"
	for name, c := range map[string]struct {
		points map[string]string
		want   bool
	}{
		"none":                      {nil, true},
		"its own":                   {map[string]string{in.ID: in.ContentHash, changed.ID: changed.ContentHash}, true},
		"not in step yet":           {map[string]string{changed.ID: memory.ContentHash("before")}, true},
		"of another text":           {map[string]string{in.ID: memory.ContentHash("another")}, false},
		"one that it does not know": {map[string]string{in.ID: in.ContentHash, elsewhere: in.ContentHash}, false},
		"no id of ours":             {map[string]string{"7": in.ContentHash}, false},
	} {
		if got, err := l.Wrote(t.Context(), c.points); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
