// Package history takes what Claude Code kept of earlier sessions into mneme: the
// conversations into the archive, and what is worth keeping of them into memories.
//
// Claude Code keeps a transcript for each session, and one for each subagent.
// [Find] lists them, and an [Import] reads each transcript from the place where the last import
// ended. A file of the home folder holds these places (see [Progress]). It is written after the
// messages have been accepted, so that after a killed import the next import sends the last messages
// once more. Each message has its own id, so that the archive keeps it only once.
//
// Memories are found by the rules of internal/extract, as hooks do. Sessions that
// hooks looked after are left to them.
package history
