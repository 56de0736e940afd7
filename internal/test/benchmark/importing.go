package main

import (
	"context"
	"fmt"
)

// runImport reports the import that every other suite stands on, and counts
// what is there after the daemon was killed as soon as the import was over.
func runImport(ctx context.Context, env *Env) ([]Row, error) {
	a, err := env.asker(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	stats, err := a.mneme.Stats(ctx)
	if err != nil {
		return nil, err
	}
	live := 0
	for _, n := range stats.Live {
		live += n
	}
	index, err := a.daemon.index()
	if err != nil {
		return nil, err
	}
	defer index.Close()
	indexed := 0
	points, err := index.Counts(ctx, true)
	if err != nil {
		return nil, err
	}
	for _, n := range points {
		indexed += n
	}
	rate := corpusSize / a.daemon.imported.Seconds()
	const all = corpusSize + 1 // with the memory that was there before
	return []Row{
		{
			What: fmt.Sprintf("mneme import of %d memories", corpusSize), Measured: ms(a.daemon.imported), N: 1,
		},
		{What: "memories a second", Measured: fmt.Sprintf("%.0f", rate), Budget: "≥ 1000", Met: verdict(rate >= 1000), N: corpusSize},
		{
			What: "in the ledger after kill -9", Measured: fmt.Sprint(live), Budget: fmt.Sprint(all),
			Met: verdict(live == all),
		},
		{
			What: "in the index after kill -9", Measured: fmt.Sprint(indexed), Budget: fmt.Sprint(all),
			Met: verdict(indexed == all),
		},
		{What: "from the kill to being ready again", Measured: ms(a.daemon.restart), N: 1},
	}, nil
}
