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

// purgePoll is how often a sweep tries to get the spool for itself.
const purgePoll = 20 * time.Millisecond

// Sweep hands the bytes of all entries, waiting or put aside, and of what was left half written to
// clean. With apply it writes what clean returns, and deletes the entries of which nothing is left. It
// waits until no drain is at work, so that none delivers such an entry meanwhile. Sweep returns how many
// files clean changed.
func (s *Spool) Sweep(
	ctx context.Context, apply bool, clean func(entry []byte) (left []byte, changed bool),
) (int, error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock := flock.New(filepath.Join(s.dir, lockName), flock.SetPermissions(0o600))
	if ok, err := lock.TryLockContext(ctx, purgePoll); err != nil || !ok {
		return 0, fmt.Errorf("lock spool: %w", errors.Join(err, ctx.Err()))
	}
	defer lock.Unlock() //nolint:errcheck // closing the file, which the end of the process does too
	changed := 0
	for _, dir := range []string{s.dir, s.quarantine()} {
		names, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return changed, fmt.Errorf("read spool: %w", err)
		}
		for _, n := range names {
			if !n.Type().IsRegular() || n.Name() == lockName {
				continue
			}
			did, err := sweepFile(filepath.Join(dir, n.Name()), apply, clean)
			if err != nil {
				return changed, err
			}
			if did {
				changed++
			}
		}
	}
	return changed, nil
}

func sweepFile(path string, apply bool, clean func([]byte) ([]byte, bool)) (bool, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // a hook renamed it just now; a later look finds it
	}
	if err != nil {
		return false, fmt.Errorf("read from spool: %w", err)
	}
	left, changed := clean(data)
	switch {
	case !changed || !apply:
		return changed, nil
	case len(left) == 0:
		return true, remove(path)
	default:
		return true, write(path, left)
	}
}
