package analytics_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// The environment of the process that is killed.
const (
	childURL = "MNEME_TEST_SNAPSHOT_URL"
	childDir = "MNEME_TEST_SNAPSHOT_DIR"
)

// takeSnapshot runs in the process that the test kills: after the first batch it prints the
// number of copied rows, and waits to be killed.
func takeSnapshot(ctx context.Context) error {
	ledger, err := postgres.Open(ctx, postgres.Options{URL: os.Getenv(childURL)})
	if err != nil {
		return err
	}
	defer ledger.Close()
	s := &analytics.Snapshots{Dir: os.Getenv(childDir), Source: ledger}
	_, err = s.Snapshot(ctx, memory.SnapshotInput{}, func(r memory.SnapshotReport) {
		fmt.Println(r.NewRows)
		<-make(chan struct{})
	})
	return err
}

// TestSnapshotOfAKilledProcess kills a process with SIGKILL after each of its
// batches in turn. In the end every row is there once.
func TestSnapshotOfAKilledProcess(t *testing.T) {
	t.Parallel()
	ledger, conn := newLedger(t)
	generate(t, conn, 350_000, 10)
	s := &analytics.Snapshots{Dir: t.TempDir(), Source: ledger}
	for range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), childURL+"="+conn.Config().ConnString(), childDir+"="+s.Dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan(), "a batch was committed")
		assert.Equal(t, "100000", lines.Text(), "each process does the batch that is next")
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		_, err = os.Stat(s.Path())
		require.ErrorIs(t, err, os.ErrNotExist, "nothing half is published")
	}
	r, err := s.Snapshot(t.Context(), memory.SnapshotInput{}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 50_000, r.NewRows)
	assert.EqualValues(t, 350_000, r.Rows)
	assert.False(t, r.Anew)
	assert.True(t, ask[bool](t, s.Path(), countOnce))
}
