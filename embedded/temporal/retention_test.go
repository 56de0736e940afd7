package temporal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// TestFileStopsGrowing runs the same load again and again with a retention of a second,
// and holds the file against its size after the first round.
func TestFileStopsGrowing(t *testing.T) {
	t.Parallel()
	opts := testOptions(t)
	opts.Headless = true
	opts.Retention = time.Second // what users cannot ask for, the server is given here
	opts.retentionJitter = time.Millisecond
	opts.upkeepInterval = 200 * time.Millisecond
	srv := begin(t, opts)
	c := dial(t, srv)
	startWorker(t, c)
	const rounds, each = 5, 60
	size := func() int64 {
		info, err := os.Stat(filepath.Join(opts.Dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	empty := size()
	var peaks []int64
	for round := range rounds {
		for i := range each {
			if _, err := ask(t.Context(), c, fmt.Sprintf("store/%d/%d", round, i), "text"); err != nil {
				t.Fatal(err)
			}
		}
		peaks = append(peaks, size())
		wait.Until(t, "the finished workflows are deleted", func() bool {
			n, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
				Query: "ExecutionStatus = 'Completed'",
			})
			return err == nil && n.GetCount() == 0
		})
	}
	settled := peaks[0] + peaks[0]/2
	wait.Until(t, "the file shrinks again", func() bool { return size() < settled })
	t.Logf("empty %d KB, after each round of %d workflows %v KB, at the end %d KB",
		empty>>10, each, kilobytes(peaks), size()>>10)
	if last := peaks[rounds-1]; last > 2*peaks[0] {
		t.Errorf("the file grows: %v KB", kilobytes(peaks))
	}
}

func kilobytes(sizes []int64) []int64 {
	out := make([]int64, len(sizes))
	for i, s := range sizes {
		out[i] = s >> 10
	}
	return out
}

// BenchmarkUpdateWithStart is an empty store: one workflow, one local activity, one answer,
// which waits for the disk or, for comparison, does not.
func BenchmarkUpdateWithStart(b *testing.B) {
	for name, sync := range map[string]func(*os.File) error{
		"synced": (*os.File).Sync, "unsynced": func(*os.File) error { return nil },
	} {
		b.Run(name, func(b *testing.B) {
			opts := testOptions(b)
			opts.Headless, opts.syncLog = true, sync
			c := dial(b, begin(b, opts))
			startWorker(b, c)
			n := 0
			for b.Loop() {
				n++
				if _, err := ask(b.Context(), c, fmt.Sprintf("bench/%d", n), "text"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	opts := testOptions(b)
	for b.Loop() {
		srv, err := Start(b.Context(), opts)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := srv.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
