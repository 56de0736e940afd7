// Package workflows says what happens in which order, durably. Each operation
// on memories is one Temporal workflow, in a file of its own; [Client] starts
// them and waits for their answers through Updates.
//
// A step is tried at once in the worker's own process (the fast path). When
// that fails because a part is down, the very same step becomes a retried
// activity that waits for the part for as long as it takes (the durable
// path), and whoever asked is told so.
//
// # Exactly once
//
// A step may run more than once: a worker dies after the ledger's commit and
// before Temporal knows of it, or an answer is lost on the way. So each step
// that changes the ledger is an op, named by workflow, run and step, which the
// ledger applies once and answers the same afterwards. Two rules follow. A
// step's name is unique in its run. And what a step decides on, such as the ids
// that are to be forgotten, is in the history before the first change: a
// worker that goes on for a dead one would find the world changed already.
//
// A lost answer is asked for again with the same update id, and Temporal gives
// the one that was there. A run that is continued as new has waited for its
// handlers, and passes on in its state what the next must know.
//
// # Changing a workflow
//
// A run can be under way for weeks while a part is down, and it goes on in
// whatever version of this package is started then. Temporal runs the
// workflow's code again from the start and compares what it does with the
// history. So a change of what a workflow does (a step more, fewer, of another
// name, in another order, a timer) is made beside the old way:
//
//	if workflow.GetVersion(ctx, "sync-twins", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
//		// what it did before
//	}
//
// Inputs and outputs gain fields and never lose or rename one. What activities
// do inside, timeouts and retry policies may change at any time.
//
// Histories below testdata/history show that old runs go on: one folder a
// workflow, one file a run. TestHistoriesReplay replays them all and fails for
// a workflow that has none. To keep a new way, add a scenario to
// scenarios_test.go and run "make history"; the command adds new files and
// never replaces an old one. An old history stays as long as a run of its kind
// may be alive, which is as long as its branch of GetVersion stays.
package workflows
