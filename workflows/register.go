package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/mneme-memory/mneme/activities"
)

// The search attributes that make the Temporal UI pleasant to read.
var (
	projectKey    = temporal.NewSearchAttributeKeyKeyword("Project")
	actionKey     = temporal.NewSearchAttributeKeyKeyword("Action")
	collectionKey = temporal.NewSearchAttributeKeyKeyword("Collection")
)

// SearchAttributes lists the keyword search attributes that a Temporal
// namespace must know before a workflow can start.
func SearchAttributes() []string {
	return []string{projectKey.GetName(), actionKey.GetName(), collectionKey.GetName()}
}

// acts names activities: its methods are never called here, so a rename is a
// compile error.
var acts *activities.Activities

// Register puts every workflow on a worker or a replayer.
func Register(r worker.WorkflowRegistry) {
	for _, w := range []any{
		StoreMemory, RecallMemory, OrganizeMemory, ForgetMemory,
		ImportMemories, RebuildIndex, LinkMemories, ReadMemories,
		DetectDuplicate, CreditMemories, UpdateMemory, MergeMemories, RecordEvents,
		SnapshotAudit, UndoChange, RestoreMemory, PinQuestion, BackupLedger,
		ArchiveConversations, AskConversations, ForgetConversations, IndexConversations,
		PurgeMemories, VerifyPurge, RedactEverything, ReembedIndex,
	} {
		r.RegisterWorkflow(w)
	}
}

// Labels are the search attributes of a workflow that a schedule starts.
func Labels(project, action, collection string) temporal.SearchAttributes {
	return searchAttributes(project, action, collection)
}

// searchAttributes labels a workflow for the Temporal UI.
func searchAttributes(project, action, collection string) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(
		projectKey.ValueSet(project), actionKey.ValueSet(action), collectionKey.ValueSet(collection),
	)
}
