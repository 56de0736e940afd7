package purge

import (
	"context"
	"fmt"
	"os"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// Clean takes the texts from spool, sessions and logs. It may be repeated; key names the step.
func (k *Keeper) Clean(ctx context.Context, path, key string) error {
	r, err := load(k.Home, path)
	if err != nil {
		return err
	}
	rules, err := k.rules(&r)
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, id := range r.content.IDs {
		ids[id] = true
	}
	err = k.counted(&r, key, func() (memory.Swept, error) { return k.sweepHome(ctx, rules, ids, false) })
	if err != nil {
		return err
	}
	_, err = k.sweepHome(ctx, rules, ids, true)
	return err
}

// sweepHome counts what goes from the files of the home, and with apply takes it away.
func (k *Keeper) sweepHome(ctx context.Context, rules rules, ids map[string]bool, apply bool) (n memory.Swept, err error) {
	if n.Spooled, err = spool.Open(k.Home, nil).Sweep(ctx, apply, rules.entry); err != nil {
		return n, err
	}
	if n.Sessions, err = session.Open(k.Home).Sweep(ctx, apply, ids, rules.text); err != nil {
		return n, err
	}
	files, err := logs(k.Home)
	if err != nil {
		return n, fmt.Errorf("list logs: %w", err)
	}
	for _, file := range files {
		lines, err := blankLines(file, apply, rules.line)
		n.LogLines += lines
		if err != nil {
			return n, err
		}
	}
	files, err = torn(k.Home)
	if err != nil {
		return n, fmt.Errorf("list what crashes left: %w", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return n, fmt.Errorf("read what a crash left: %w", err)
		}
		if !rules.line(data) {
			continue
		}
		n.Files++
		if !apply {
			continue
		}
		if err := os.Remove(file); err != nil {
			return n, fmt.Errorf("delete what a crash left: %w", err)
		}
	}
	return n, nil
}
