package spool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/memory"
)

// maxTries is how often an entry may end in an unforeseen error before it is
// put aside. A part that is down does not count.
const maxTries = 20

// maxEntryBytes bounds the file of one entry: what is longer is not ours.
const maxEntryBytes = 2 << 20

// Receiver takes entries. What comes with a key that came before is done once.
type Receiver interface {
	StoreOnce(ctx context.Context, key string, in memory.StoreInput) (memory.StoreResult, error)
	CreditOnce(ctx context.Context, key string, in memory.CreditInput) (memory.CreditResult, error)
	Record(ctx context.Context, events []memory.Event) error
}

// Report says what a drain did.
type Report struct {
	Busy      bool // another process drains; nothing was done
	Delivered int
	PutAside  int
	Waiting   int // left for another time, because a part is down or time ran out
	// Stored has the answers to the stores that were delivered, by key.
	Stored map[string]memory.StoreResult
}

// Drain delivers what waits, oldest first, until it is empty, ctx ends or a
// part is down; with keys, only those. Of several drains at once one works, the
// others return Busy. The error is of the spool itself; that a receiver is down
// is none.
func (s *Spool) Drain(ctx context.Context, to Receiver, keys ...string) (Report, error) {
	r := Report{Stored: map[string]memory.StoreResult{}}
	files, err := s.waiting(keys)
	if err != nil {
		return r, err
	}
	if len(files) == 0 {
		return r, s.sweep()
	}
	// The kernel gives the lock back when a process is killed.
	lock := flock.New(filepath.Join(s.dir, lockName), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return r, fmt.Errorf("lock spool: %w", err)
	}
	if !ok {
		r.Busy = true
		return r, nil
	}
	defer lock.Unlock() //nolint:errcheck // closing the file, which the end of the process does too
	if files, err = s.waiting(keys); err != nil {
		return r, err
	}
	for i, f := range files {
		if ctx.Err() != nil {
			r.Waiting = len(files) - i
			return r, nil
		}
		goOn, err := s.deliver(ctx, to, f, &r)
		if err != nil {
			return r, err
		}
		if !goOn {
			r.Waiting += len(files) - i
			return r, nil
		}
	}
	return r, s.sweep()
}

// waiting lists the files of entries, oldest first: all, or those of the keys.
func (s *Spool) waiting(keys []string) ([]fs.FileInfo, error) {
	files, err := list(s.dir)
	if err != nil || len(keys) == 0 {
		return files, err
	}
	wanted := make(map[string]bool, len(keys))
	for _, key := range keys {
		wanted[fileName(key)] = true
	}
	return slices.DeleteFunc(files, func(f fs.FileInfo) bool { return !wanted[f.Name()] }), nil
}

// deliver hands over one entry. It reports whether to go on with the next.
func (s *Spool) deliver(ctx context.Context, to Receiver, f fs.FileInfo, r *Report) (goOn bool, err error) {
	path := filepath.Join(s.dir, f.Name())
	if f.Size() > maxEntryBytes {
		r.PutAside++
		return true, s.putAside(f.Name(), nil, "unreadable", "the file is too long to be an entry")
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read from spool: %w", err)
	}
	e, err := parse(data)
	if err != nil {
		r.PutAside++
		return true, s.putAside(f.Name(), data, "unreadable", err.Error())
	}
	switch err := s.send(ctx, to, e, r); {
	case err == nil:
		r.Delivered++
		return true, remove(path)
	case invalid(err):
		r.PutAside++
		return true, s.putAside(f.Name(), data, e.Kind(), err.Error())
	case ctx.Err() != nil || memory.Waits(err):
		return false, nil
	default:
		return true, s.again(f.Name(), e, err, r)
	}
}

func (s *Spool) send(ctx context.Context, to Receiver, e Entry, r *Report) error {
	// Only a key of letters and digits is safe in every place it gets to.
	key := strings.TrimSuffix(fileName(e.Key), suffix)
	switch {
	case e.Store != nil:
		result, err := to.StoreOnce(ctx, key, *e.Store)
		if err == nil {
			r.Stored[e.Key] = result
		}
		return err
	case e.Credit != nil:
		_, err := to.CreditOnce(ctx, key, *e.Credit)
		return err
	default:
		return to.Record(ctx, e.Events)
	}
}

// again counts an unforeseen error and, after many, puts the entry aside, so
// that it does not come first for ever.
func (s *Spool) again(name string, e Entry, cause error, r *Report) error {
	e.Tries++
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write to spool: %w", err)
	}
	if e.Tries >= maxTries {
		r.PutAside++
		return s.putAside(name, data, e.Kind(), cause.Error())
	}
	r.Waiting++
	return write(filepath.Join(s.dir, name), data)
}

// sweep removes what processes that were killed left half written.
func (s *Spool) sweep() error {
	for _, dir := range []string{s.dir, s.quarantine()} {
		names, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read spool: %w", err)
		}
		for _, n := range names {
			if half, err := filepath.Match(tempPattern, n.Name()); err != nil || !half {
				continue
			}
			info, err := n.Info()
			if err != nil || s.now().Sub(info.ModTime()) < staleTemp {
				continue
			}
			if err := remove(filepath.Join(dir, n.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run drains now and then every interval until ctx ends. The daemon runs it.
// Failed is told of errors of the spool; nil means nobody is.
func (s *Spool) Run(ctx context.Context, to Receiver, every time.Duration, failed func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if _, err := s.Drain(ctx, to); err != nil && failed != nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func sortByAge(files []fs.FileInfo) {
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
}
