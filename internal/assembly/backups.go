package assembly

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/backup"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// Backups writes scheduled backups of a ledger on this machine.
type Backups struct {
	Ledger  *postgres.Ledger
	Config  config.Config
	Version string // of the program; empty for "devel"
}

// backupName is the name of a scheduled backup: the ledger's beginning and the time, so that
// several homes can share a folder.
var backupName = regexp.MustCompile(`^mneme-[0-9a-f]{8}-\d{8}T\d{6}Z\.backup$`)

// staleAfter is when what a killed backup left is nobody's any more.
const staleAfter = 24 * time.Hour

// Backup implements activities.Backuper.
func (b *Backups) Backup(
	ctx context.Context, in memory.BackupInput, progress func(memory.BackupReport),
) (memory.BackupReport, error) {
	id, err := b.Ledger.Identity(ctx)
	if err != nil {
		return memory.BackupReport{}, err
	}
	recipients, err := backup.Recipients(in.Recipients)
	if err != nil {
		return memory.BackupReport{}, err
	}
	if err := os.MkdirAll(in.Dir, 0o700); err != nil {
		return memory.BackupReport{}, memory.Errorf(memory.Invalid,
			"make the folder on the worker's machine, or give another one", "write the backup: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return memory.BackupReport{}, fmt.Errorf("name this machine: %w", err)
	}
	r := memory.BackupReport{
		Host: host,
		Path: filepath.Join(in.Dir, "mneme-"+id[:8]+"-"+in.At.UTC().Format("20060102T150405Z")+".backup"),
	}
	w, err := backup.Create(ctx, b.Ledger, backup.Options{
		Path: r.Path, Replace: true, Recipients: recipients, Version: b.Version, Settings: b.Config.Portable(),
		Progress: func(done, total int64) { r.Done, r.Rows = done, total; progress(r) },
	})
	if err != nil {
		return r, err
	}
	r.Bytes, r.Live, r.Encrypted, r.Done, r.Rows = w.Bytes, w.Head.Live, w.Encrypted, w.Head.Rows(), w.Head.Rows()
	place := memory.BackupPlace{Path: in.Dir, Host: host, At: in.At, Every: in.Every.String()}
	if in.Every == 0 {
		place = memory.BackupPlace{Path: r.Path, Host: host, At: in.At}
	}
	if err := b.Ledger.NoteBackup(ctx, place); err != nil {
		return r, err
	}
	r.Removed, err = removeOld(in.Dir, "mneme-"+id[:8]+"-", in.Keep, in.At)
	return r, err
}

// removeOld keeps the last backups that begin with a prefix, and takes away what killed ones left.
func removeOld(dir, prefix string, keep int, now time.Time) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("look for older backups: %w", err)
	}
	var names []string
	for _, e := range entries {
		switch {
		case !e.Type().IsRegular():
		case strings.HasPrefix(e.Name(), prefix) && backupName.MatchString(e.Name()):
			names = append(names, e.Name())
		case strings.HasPrefix(e.Name(), "."+prefix):
			if info, statErr := e.Info(); statErr == nil && now.Sub(info.ModTime()) > staleAfter {
				err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
			}
		}
	}
	slices.Sort(names) // by time
	for _, name := range names[:max(0, len(names)-keep)] {
		if removeErr := os.Remove(filepath.Join(dir, name)); removeErr != nil {
			err = errors.Join(err, removeErr)
			continue
		}
		removed++
	}
	if err != nil {
		err = fmt.Errorf("remove older backups: %w", err)
	}
	return removed, err
}
