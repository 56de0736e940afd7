// Package activities holds the steps that reach outside the process: to the
// embedding model, the ledger and the index. Each may run more than once, so
// each is written to be repeated: it keys on the memory's id or on the
// [memory.Op] that the ledger applies once.
package activities
