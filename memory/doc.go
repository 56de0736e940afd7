// Package memory holds the words of the project and the rules that need no
// outside world: what a memory is, when two of them are the same fact, how
// confidence grows and fades, and how candidates become a ranked answer.
//
// A [Memory] is one complete fact, kept in one of seven collections and in
// one project. A [Query] asks for memories; a [Hit] answers it. The ledger
// (PostgreSQL) is the truth, the index (Qdrant) is a way to find it, and every
// change of the ledger is an [Op]: a step of a workflow run that is applied
// exactly once however often it is tried.
//
// The package does no input or output and imports only the standard library,
// so that everything else may depend on it.
package memory
