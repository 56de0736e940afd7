// Package toolname is the one list of the names of mneme's MCP tools. The MCP
// server offers the tools under these names, the hooks know by them which calls
// store something, and the reader of transcripts which answers are no news.
package toolname

import (
	"slices"
	"strings"
)

// The tools.
const (
	Store      = "memory_store"
	Learning   = "learning"
	Procedure  = "procedure"
	Episode    = "episode"
	Trajectory = "trajectory"

	Recall    = "memory_recall"
	Search    = "rag_search"
	Get       = "memory_get"
	Related   = "memory_related"
	Summarize = "memory_summarize"

	Link     = "memory_link"
	Update   = "memory_update"
	Forget   = "memory_forget"
	Undo     = "memory_undo"
	Organize = "memory_organize"
	Snapshot = "memory_snapshot"

	ConversationSearch = "conversation_search"
	ConversationGet    = "conversation_get"
)

// Storing lists the tools that store a text. A new one is also named in the
// matcher of plugin/hooks/hooks.json, which a test checks.
func Storing() []string { return []string{Store, Learning, Procedure, Episode, Trajectory} }

// All lists all tools.
func All() []string {
	return append(Storing(), Recall, Search, Get, Related, Summarize, Link, Update,
		Forget, Undo, Organize, Snapshot, ConversationSearch, ConversationGet)
}

// Bare returns the name that an MCP server gave its tool. Claude Code puts the
// server's name before it ("mcp__mneme__memory_store"), and a plugin's before
// that. It is "" for a tool of Claude Code's own.
func Bare(tool string) string {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return ""
	}
	i := strings.LastIndex(rest, "__")
	if i < 0 {
		return ""
	}
	return rest[i+len("__"):]
}

// Ours reports whether a tool's name, as Claude Code calls it, is that of a
// memory tool. All names that begin with "memory_" are taken for ours: also of
// tools that an older or newer mneme has.
func Ours(tool string) bool {
	bare := Bare(tool)
	return strings.HasPrefix(bare, "memory_") || slices.Contains(All(), bare)
}
