package purge

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// Compact writes the files of ledger and index anew.
func (k *Keeper) Compact(
	ctx context.Context, path string,
	rewrite func(ctx context.Context, own bool) ([]memory.Unreached, error),
) error {
	unreached, err := rewrite(ctx, k.OwnPostgres)
	if err != nil {
		return err
	}
	if len(unreached) > 0 {
		r, err := load(k.Home, path)
		if err != nil {
			return err
		}
		r.Unreached = unreached
		if err := r.save(k.Home); err != nil {
			return err
		}
	}
	if k.CompactIndex == nil {
		return nil
	}
	return k.CompactIndex(ctx)
}
