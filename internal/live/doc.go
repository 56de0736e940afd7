// Package live tells browsers and other programs what happens to the memories while it happens:
// what was stored, shown, used, merged, forgotten. The events are the rows of the audit.
//
// [Feed] sends them as server-sent events. The id of an event is the id of its row, so a client
// that was cut off says with Last-Event-ID which one it saw last, and gets all that came since.
// Rows are sent only up to where no row with a smaller id is still on its way.
package live
