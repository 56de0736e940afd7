package purge

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// CleanLedger takes the texts from what the ledger keeps beside the memories. It may be repeated; key
// names the step.
func (k *Keeper) CleanLedger(
	ctx context.Context, path, key string, sweeps memory.Sweeps, progress func(),
) error {
	r, err := load(k.Home, path)
	if err != nil {
		return err
	}
	what := memory.Cleaning{Clean: k.rules(&r).text, Gone: r.content.IDs, Progress: progress}
	sweep := func() (n memory.Swept, err error) {
		for _, one := range []struct {
			sweep memory.Sweep
			count *int
		}{
			{sweeps.Messages, &n.Messages}, {sweeps.Questions, &n.Questions}, {sweeps.Audit, &n.AuditRows},
		} {
			if *one.count, err = one.sweep(ctx, what); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	if err := k.counted(&r, key, sweep); err != nil {
		return err
	}
	what.Apply = true
	_, err = sweep()
	return err
}
