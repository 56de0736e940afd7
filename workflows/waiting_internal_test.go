package workflows

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"
)

// answering are the workflows that only read: no accepted change waits in them.
var answering = []string{"RecallMemory", "ReadMemories", "DetectDuplicate", "AskConversations", "VerifyPurge"}

// registered notes the names of workflows.
type registered struct {
	worker.WorkflowRegistry

	names []string
}

func (r *registered) RegisterWorkflow(w any) {
	name := runtime.FuncForPC(reflect.ValueOf(w).Pointer()).Name()
	r.names = append(r.names, name[strings.LastIndexByte(name, '.')+1:])
}

// TestWaitingKnowsEveryChange has each workflow either change something, and then be told of
// while it waits, or only answer.
func TestWaitingKnowsEveryChange(t *testing.T) {
	t.Parallel()
	var r registered
	Register(&r)
	for _, name := range r.names {
		if slices.Contains(changes(), name) == slices.Contains(answering, name) {
			t.Errorf("%s: say in changes() or in the list of this test whether it changes something", name)
		}
	}
}
