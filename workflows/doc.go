// Package workflows says what happens in which order, durably. Each operation
// on memories is one Temporal workflow, in a file of its own; [Client] starts
// them and waits for their answers through Updates.
//
// A step is tried at once in the worker's own process (the fast path). When
// that fails because a part is down, the very same step becomes a retried
// activity that waits for the part for as long as it takes (the durable
// path), and whoever asked is told so.
package workflows
