package activities

import (
	"context"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// Snapshotter copies the audit and the state of the memories to where they
// are analysed. A snapshot that was killed is gone on with by the next.
type Snapshotter interface {
	Snapshot(ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport)) (memory.SnapshotReport, error)
}

// snapshotBeat is how often a snapshot shows how far it is.
const snapshotBeat = time.Second

// TakeSnapshot takes a snapshot. Its heartbeats carry the report so far.
func (a *Activities) TakeSnapshot(ctx context.Context, in memory.SnapshotInput) (memory.SnapshotReport, error) {
	if a.Snapshots == nil {
		return memory.SnapshotReport{}, memory.Errorf(memory.Invalid, `run it where "mneme up" runs`, "this worker keeps no files for analysis")
	}
	var latest atomic.Pointer[memory.SnapshotReport]
	latest.Store(&memory.SnapshotReport{})
	done := make(chan struct{})
	defer close(done)
	go beat(ctx, done, func() { activity.RecordHeartbeat(ctx, *latest.Load()) })
	return a.Snapshots.Snapshot(ctx, in, func(r memory.SnapshotReport) { latest.Store(&r) })
}

// SnapshotOrganized takes a snapshot after an organize run, where this worker
// keeps files for analysis. It says whether it did.
func (a *Activities) SnapshotOrganized(ctx context.Context, in memory.SnapshotInput) (bool, error) {
	if a.Snapshots == nil {
		return false, nil
	}
	_, err := a.TakeSnapshot(ctx, in)
	return err == nil, err
}

// beat calls tell now and at every tick until done.
func beat(ctx context.Context, done <-chan struct{}, tell func()) {
	tick := time.NewTicker(snapshotBeat)
	defer tick.Stop()
	for {
		tell()
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
