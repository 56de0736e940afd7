// Package analytics answers whether the memory helps. It copies the audit and
// the state of the memories into one DuckDB file, puts views over them, and
// reads reports from the views.
//
// The file that readers open is never written to: a snapshot adds to a
// working copy beside it and then takes its place, so that any DuckDB client
// can have it open at any time. A reader that had the old one keeps it.
//
// No text of a memory and no query is in the file: so forgetting a memory need
// not change the file. "mneme analytics" asks the ledger for the texts it
// shows.
package analytics
