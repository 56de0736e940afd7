package activities

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/testsuite"

	"github.com/mneme-memory/mneme/memory"
)

// intake is a ledger that takes imports and keeps the notes.
type intake struct {
	Ledger
	notes map[string]any // kinds, by step
}

func (i *intake) UseModel(context.Context, string, int) error { return nil }
func (i *intake) Import(context.Context, memory.Op, []memory.Record, map[string]string) (memory.Imported, error) {
	return memory.Imported{}, nil
}

func (i *intake) Note(_ context.Context, op memory.Op, project, _ string, details map[string]any) error {
	i.notes[op.Action+" "+op.Step+" in "+project] = details["redacted"]
	return nil
}

// unasked is an index that has nothing to learn.
type unasked struct{ Index }

func (unasked) EnsureCollections(context.Context, int) error { return nil }

// noDigits takes the word of a digit out.
type noDigits struct{}

func (noDigits) Redact(text string) (string, []string) {
	if !strings.Contains(text, "seven") {
		return text, nil
	}
	return strings.ReplaceAll(text, "seven", "***"), []string{"digit"}
}

// TestImportNotesWhatWasTaken has kinds that the door found and kinds that the step finds.
func TestImportNotesWhatWasTaken(t *testing.T) {
	t.Parallel()
	ledger := &intake{notes: map[string]any{}}
	a := &Activities{Embedder: flat{}, Ledger: ledger, Index: unasked{}, Redactor: noDigits{}, Now: time.Now}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	_, err := env.ExecuteActivity(a.ImportBatch, memory.ImportBatch{Number: 4, Items: []memory.StoreInput{
		{Text: "a", Project: "p", Redacted: []string{"email", "token"}},
		{Text: "b seven", Project: "p", Redacted: []string{"email"}},
		{Text: "c", Project: "clean"},
		{Text: "d seven"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"import batch/4/redacted/p in p":             []string{"email", "token", "digit", "email"},
		"import batch/4/redacted/_global in _global": []string{"digit"},
	}
	if diff := cmp.Diff(want, ledger.notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
