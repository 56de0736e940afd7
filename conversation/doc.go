// Package conversation holds the words and rules of the archive of conversations:
// the messages of sessions of Claude Code.
//
// The archive is separate from the memories. A memory is one fact that is worth
// keeping; a [Message] is a prompt, an answer, a tool's result or a thought of the
// model, word by word but without its secrets (see [Admit]). Recalls do not search
// the archive; a [Query] searches the archive, and a [Place] names the messages to
// read.
//
// A long message is kept in parts, and each part is searched by [Passage]: a
// passage is about as long as a memory, so the scores of both mean the same.
//
// The package has no input or output.
package conversation
