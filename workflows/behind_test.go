package workflows_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestRecallWhileTheIndexIsWritten marks 150 memories as missing in the index,
// as a rebuild does before it writes them: answers say so until it is done.
func TestRecallWhileTheIndexIsWritten(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	startImport(t, r, "many", 0)
	_, err := r.ImportBatch(t.Context(), "many", batchOf(0, 150))
	check(t, err)
	_, err = r.ImportFinish(t.Context(), "many")
	check(t, err)
	said := func() string {
		out, err := r.Recall(t.Context(), memory.Query{Text: "Which host answers?", Project: "p"})
		check(t, err)
		return out.Degraded
	}
	if s := said(); s != "" {
		t.Errorf("everything is there, and an answer says %q", s)
	}
	check(t, r.ledger.MarkUnindexed(t.Context(), memory.Memories))
	eventually(t, "an answer says that memories are missing", func() bool { return said() != "" })
	_, err = r.Rebuild(t.Context(), memory.RebuildInput{Collections: []string{memory.Memories}}, nil)
	check(t, err)
	eventually(t, "an answer says nothing any more", func() bool { return said() == "" })
}
