// Package conversation holds the words and rules of the archive of conversations:
// what was said in sessions of Claude Code, message by message.
//
// The archive stands beside the memories and never among them. A memory is one
// fact that is worth keeping; a [Message] is what somebody said, kept as it was
// said (without its secrets, see [Admit]). Recalls do not see the archive; it is
// searched by [Query] and read by [Place].
//
// A long message is kept in parts, and each part is searched by [Passage]: a
// passage is about as long as a memory, so the scores of both mean the same.
//
// The package has no input or output.
package conversation
