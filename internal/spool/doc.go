// Package spool keeps on disk what a hook wants from mneme until mneme has it.
//
// A hook never waits for a store, a credit or an event: it adds an [Entry],
// which is safe once [Spool.Add] returns, and whoever has time delivers it with
// [Spool.Drain]: the same hook when it has some left, the next one, or the
// daemon in the background. Each entry has a key, and the receiver does what
// comes with one key once. So an entry that was delivered by a process that was
// killed before it could remove the file does no harm when it comes again.
//
// An entry is one file, written beside its place, flushed and renamed, so that
// no reader ever sees half of one. What can never be delivered is moved to a
// quarantine, where "mneme hooks log" and "mneme doctor" show it.
package spool
