// Package hook answers Claude Code's hook events, so that nobody has to call a
// memory tool: what matters is recalled when a session starts, a fact is not
// stored twice, an error that was solved before brings its solution, and what
// was learned is kept when the conversation is compacted or ends.
//
// A hook is a guest. [Main] always returns 0, whatever happens: Claude Code
// reads some exit codes as "block". It holds a deadline of its own, prints one
// valid answer or nothing at all, and writes what went wrong to a log (package
// hooklog). It reads from mneme when it is there and answers without when it is
// not; what it wants to have stored goes to a spool on the disk (package
// spool) and is delivered once, now or later. What the hooks of one session
// must know of each other is in package session.
//
// Each event is a file: start.go, prompt.go, duplicate.go, failure.go,
// success.go and sweep.go.
package hook
