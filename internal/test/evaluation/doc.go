// Package evaluation measures how well recall finds what it should, on public
// data sets that are not part of the project. It holds tests only. They embed
// with the built-in model, weigh words as the index does, and rank with
// [memory.Rank] itself, so that a figure here is what a user gets; command
// product, below, shows it: it measures the same through the real binaries.
//
//	go test ./internal/test/evaluation -run Recall -v
//
// prints the tables. The data is looked for in $MNEME_SHARED/retrieval-dev,
// else in ../shared/retrieval-dev beside the repository.
package evaluation
