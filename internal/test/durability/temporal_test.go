package durability

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestNoWorker stores while no worker runs: the text is accepted, and stored
// by the first worker that comes.
func TestNoWorker(t *testing.T) {
	t.Parallel()
	l := newLane(t, "no-worker", newServices(t), 0)
	l.restart()
	l.warm("before")
	if err := l.worker.stop(); err != nil {
		t.Errorf("the worker ended: %v\n%s", err, l.worker.said())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // nobody answers: long enough for the start
	defer cancel()
	r, err := l.client.Store(ctx, memory.StoreInput{Text: text, Project: "during"})
	if err != nil || r.Status != memory.Accepted || r.WaitingFor != "the worker" {
		t.Errorf("told %+v, %v; want accepted, waiting for the worker", r, err)
	}
	if _, err := (rig{lane: l}).recall("which port"); memory.CodeOf(err) != memory.Unavailable || memory.HintOf(err) == "" {
		t.Errorf("recall: told %v; want unavailable, with a hint", err)
	}
	l.restart()
	l.eyes.checkStoredOnce(t, "after the worker came", "during", text, r.WorkflowID)
	if err := l.worker.stop(); err != nil {
		t.Errorf("the worker ended: %v\n%s", err, l.worker.said())
	}
}

// told is what the caller of one store was told.
type told struct {
	project string
	result  memory.StoreResult
	err     error
}

// TestTemporalKilled kills the Temporal server while three sessions store,
// and starts it again on the same file. What was answered or accepted is
// stored once; what ended in an error is stored at most once.
func TestTemporalKilled(t *testing.T) {
	t.Parallel()
	s, dir := newServices(t), filepath.Join(t.TempDir(), "temporal")
	server, addr := serveChild(t, "temporal", "", dir)
	s.temporal = addr
	l := newLane(t, "temporal-killed", s, 0)
	l.restart()
	l.warm("before")

	const each, killAfter = 15, 12
	var mu sync.Mutex
	var all []told
	enough := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := range each {
				one := told{project: fmt.Sprintf("%d/%d", w, i)}
				ctx, cancel := context.WithTimeout(t.Context(), patient)
				one.result, one.err = l.client.Store(ctx, memory.StoreInput{Text: text, Project: one.project})
				cancel()
				mu.Lock()
				if all = append(all, one); len(all) == killAfter {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	server.kill()
	l.checkRefused(t)
	serveChild(t, "temporal", addr, dir)
	writers.Wait()
	l.checkTold(t, all)
	if err := l.worker.stop(); err != nil {
		t.Errorf("the worker ended: %v\n%s", err, l.worker.said())
	}
}

// checkRefused stores while Temporal is away: it is not accepted.
func (l *lane) checkRefused(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	r, err := l.client.Store(ctx, memory.StoreInput{Text: text, Project: "refused"})
	if memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "Temporal" || memory.HintOf(err) == "" {
		t.Errorf("store without Temporal: told %+v, %v; want that Temporal is unavailable, and a hint", r, err)
	}
}

func (l *lane) checkTold(t *testing.T, all []told) {
	t.Helper()
	failed := 0
	for _, one := range all {
		if one.err == nil {
			l.eyes.checkStoredOnce(t, one.project, one.project, text, one.result.WorkflowID)
			continue
		}
		failed++
		if memory.HintOf(one.err) == "" || !strings.Contains(one.err.Error(), "Temporal") {
			t.Errorf("%s: told %v (hint %q); want the part's name and a hint", one.project, one.err, memory.HintOf(one.err))
		}
		if n := l.eyes.count(t, `select count(*) from memories where project = $1`, one.project); n > 1 {
			t.Errorf("%s: failed, and is there %d times", one.project, n)
		}
	}
	t.Logf("%d stores, %d were told of an error", len(all), failed)
}
