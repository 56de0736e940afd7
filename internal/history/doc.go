// Package history takes what Claude Code kept of earlier sessions into mneme: the
// conversations into the archive, and what is worth keeping of them into memories.
//
// Claude Code keeps a transcript for each session, and one for each subagent.
// [Find] lists them, and an [Import] reads each from where the last import ended, which
// is kept in a file of the home folder (see [Progress]). That file is written after what
// was read has been accepted: an import that is killed sends a little of it once
// more, and messages have ids of their own, so that nothing is kept twice.
//
// Memories are found by the rules of internal/extract, as hooks do. Sessions that
// hooks looked after are left to them.
package history
