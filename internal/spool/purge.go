package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// purgePoll is how often a purge tries to get the spool for itself.
const purgePoll = 20 * time.Millisecond

// Purge deletes the entries, waiting or put aside, of whose bytes holds says so, and what was left
// half written. It waits until no drain is at work, so that none delivers such an entry meanwhile.
// It returns how many files went.
func (s *Spool) Purge(ctx context.Context, holds func(entry []byte) bool) (int, error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock := flock.New(filepath.Join(s.dir, lockName), flock.SetPermissions(0o600))
	if ok, err := lock.TryLockContext(ctx, purgePoll); err != nil || !ok {
		return 0, fmt.Errorf("lock spool: %w", errors.Join(err, ctx.Err()))
	}
	defer lock.Unlock() //nolint:errcheck // closing the file, which the end of the process does too
	gone := 0
	for _, dir := range []string{s.dir, s.quarantine()} {
		names, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return gone, fmt.Errorf("read spool: %w", err)
		}
		for _, n := range names {
			if !n.Type().IsRegular() || n.Name() == lockName {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, n.Name()))
			if errors.Is(err, fs.ErrNotExist) {
				continue // a hook renamed it just now; a later look finds it
			}
			if err != nil {
				return gone, fmt.Errorf("read from spool: %w", err)
			}
			if !holds(data) {
				continue
			}
			if err := remove(filepath.Join(dir, n.Name())); err != nil {
				return gone, err
			}
			gone++
		}
	}
	return gone, nil
}
