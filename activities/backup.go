package activities

import (
	"context"
	"sync/atomic"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// Backuper writes backups into a folder of this machine and removes older ones there.
type Backuper interface {
	Backup(ctx context.Context, in memory.BackupInput, progress func(memory.BackupReport)) (memory.BackupReport, error)
}

// WriteBackup writes a backup. Its heartbeats carry how far it is. A try that was killed leaves
// nothing under the name of a backup; the next one writes the same name.
func (a *Activities) WriteBackup(ctx context.Context, in memory.BackupInput) (memory.BackupReport, error) {
	if a.Backups == nil {
		return memory.BackupReport{}, memory.Errorf(memory.Invalid, `run it where "mneme up" runs`, "this worker writes no backups")
	}
	if err := in.Check(); err != nil {
		return memory.BackupReport{}, err
	}
	var latest atomic.Pointer[memory.BackupReport]
	latest.Store(&memory.BackupReport{})
	done := make(chan struct{})
	defer close(done)
	go beat(ctx, done, func() { activity.RecordHeartbeat(ctx, *latest.Load()) })
	return a.Backups.Backup(ctx, in, func(r memory.BackupReport) { latest.Store(&r) })
}
