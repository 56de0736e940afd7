package console

import "github.com/mneme-memory/mneme/memory"

// happened says in plain words what an action of the audit did.
func happened(action string) string {
	if words, ok := actionWords[action]; ok {
		return words
	}
	return action
}

var actionWords = map[string]string{
	memory.ActionStore:         "stored",
	memory.ActionDuplicate:     "known already, not stored again:",
	memory.ActionRecall:        "answered a question",
	memory.ActionCredit:        "confirmed or doubted",
	memory.ActionUpdate:        "edited",
	memory.ActionForget:        "forgotten",
	memory.ActionMerge:         "merged",
	memory.ActionPromote:       "kept for good",
	memory.ActionExpire:        "expired",
	memory.ActionDecay:         "confidence faded",
	memory.ActionPrune:         "pruned",
	memory.ActionAnnounce:      "named as nearly pruned",
	memory.ActionLink:          "linked",
	memory.ActionImport:        "imported",
	memory.ActionOrganize:      "tidied up",
	memory.ActionTidy:          "tidying decided on its next steps",
	memory.ActionRebuild:       "the search index was compared",
	memory.ActionUndo:          "undone",
	memory.ActionRestore:       "brought back",
	memory.ActionRestoreBackup: "filled from a backup",
	memory.ActionArchive:       "messages archived",
	memory.ActionPinQuestion:   "pinned questions changed",
	memory.ActionInject:        "shown to Claude:",
	memory.ActionUse:           "used by Claude:",
	memory.ActionExtract:       "looked for things to keep in a session",
}
