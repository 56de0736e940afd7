package analytics

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/memory"
)

var (
	//go:embed schema.sql
	schemaSQL string
	//go:embed views.sql
	viewsSQL string
)

// schemaVersion is counted up when schema.sql changes: a file of another
// version is built anew, because the ledger has everything.
const schemaVersion = 1

// batchRows is how many audit rows are committed at once: what a snapshot
// that is killed must read again, at most.
const batchRows = 100_000

// Snapshots takes snapshots of a ledger into one folder. It may be used by
// several goroutines and processes: one snapshot is taken at a time.
type Snapshots struct {
	// Dir is where the files are. It is made with mode 0700. Required.
	Dir string
	// Source is the ledger. Required.
	Source Source
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Path returns where the file is that readers open.
func (s *Snapshots) Path() string { return filepath.Join(s.Dir, FileName) }

// Snapshot copies what the file does not have yet. A snapshot that was killed
// is gone on with where its last batch was committed. Progress, which may be
// nil, is called after each batch.
func (s *Snapshots) Snapshot(ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport)) (memory.SnapshotReport, error) {
	report, err := s.snapshot(ctx, in, progress)
	if err != nil {
		return report, fmt.Errorf("take snapshot: %w", err)
	}
	return report, nil
}

func (s *Snapshots) snapshot(ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport)) (memory.SnapshotReport, error) {
	start := s.now()
	report := memory.SnapshotReport{File: s.Path(), Anew: in.Anew}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return report, fmt.Errorf("make folder: %w", err)
	}
	lock := flock.New(filepath.Join(s.Dir, lockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return report, fmt.Errorf("wait for the snapshot that is being taken: %w", err)
	}
	defer lock.Unlock() //nolint:errcheck // given back by the kernel at the latest

	end, err := s.Source.AuditEnd(ctx)
	if err != nil {
		return report, err
	}
	w, err := s.work(ctx, &report)
	if err != nil {
		return report, err
	}
	err = w.fill(ctx, s.Source, end, start, &report, progress)
	if err == nil && in.Parquet {
		report.Parquet, err = w.exportParquet(ctx, s.Dir)
	}
	if err = errors.Join(err, w.close()); err != nil {
		return report, err
	}
	if err := publish(s.path(workName), s.Path()); err != nil {
		return report, err
	}
	if info, err := os.Stat(s.Path()); err == nil {
		report.Bytes = info.Size()
	}
	report.TookSeconds = s.now().Sub(start).Seconds()
	return report, removeAll(s.path(tempName))
}

func (s *Snapshots) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Snapshots) path(name string) string { return filepath.Join(s.Dir, name) }

// work opens the working copy: the one that a killed snapshot left, else a
// copy of the last file, else an empty one. What cannot be read, has another
// schema or holds another ledger's audit is built anew.
func (s *Snapshots) work(ctx context.Context, report *memory.SnapshotReport) (*working, error) {
	if !report.Anew {
		w, err := s.resume(ctx)
		if err == nil && w != nil {
			return w, nil
		}
		if ctx.Err() != nil || memory.Waits(err) {
			return nil, err // the file may be good: it was not looked at
		}
		report.Anew = err != nil
	}
	if err := removeAll(s.path(workName), s.path(workName)+".wal"); err != nil {
		return nil, err
	}
	return create(ctx, s.path(workName))
}

// resume returns nil without an error when there is nothing to go on with.
func (s *Snapshots) resume(ctx context.Context) (*working, error) {
	if _, err := os.Stat(s.path(workName)); err != nil {
		found, err := copyFile(s.Path(), s.path(copyName), s.path(workName))
		if err != nil || !found {
			return nil, err
		}
	}
	w, err := load(ctx, s.path(workName))
	if err != nil {
		return nil, err
	}
	key, err := s.Source.AuditKey(ctx, w.upTo)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	if key != w.upToKey {
		return nil, errors.Join(errOtherLedger, w.close())
	}
	return w, nil
}

var errOtherLedger = errors.New("the file holds the audit of another ledger")
