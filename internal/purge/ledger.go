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
	rules, err := k.rules(&r)
	if err != nil {
		return err
	}
	what, versions := rules.cleaning(r.content.IDs, progress), r.content.Redaction != nil
	err = k.counted(&r, key, func() (memory.Swept, error) { return sweepLedger(ctx, sweeps, what, versions) })
	if err != nil {
		return err
	}
	what.Apply = true
	_, err = sweepLedger(ctx, sweeps, what, versions)
	return err
}

// sweepLedger runs all sweeps. Versions are swept by a redaction; a purge blanks them with their memories.
func sweepLedger(ctx context.Context, sweeps memory.Sweeps, what memory.Cleaning, versions bool) (n memory.Swept, err error) {
	all := []struct {
		sweep memory.Sweep
		count *int
	}{
		{sweeps.Messages, &n.Messages},
		{sweeps.Questions, &n.Questions},
		{sweeps.Plans, &n.Plans},
		{sweeps.Audit, &n.AuditRows},
		{sweeps.Versions, &n.Versions},
	}
	if !versions {
		all = all[:len(all)-1]
	}
	for _, one := range all {
		if *one.count, err = one.sweep(ctx, what); err != nil {
			return n, err
		}
	}
	return n, nil
}
