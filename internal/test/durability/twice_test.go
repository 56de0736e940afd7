package durability

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestTwoSessionsStoreTheSame has two sessions store the same text, and
// nearly the same one, at the same moment, with two workers at work: each
// pair leaves one memory, and both are told its id.
func TestTwoSessionsStoreTheSame(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	l := newLane(t, "twice", s, 0)
	l.restart()
	second := startWorker(t, l.services)
	l.warm("twice")
	other := dialWorkflows(t, services{temporal: s.temporal, namespace: "twice", postgres: s.postgres}, 0)
	for _, pair := range []struct{ name, a, b string }{
		{"same", "The API listens on port %d behind the proxy.", "The API listens on port %d behind the proxy."},
		{"nearly", "The API listens on port %d behind the proxy.", "API listens on port %d, behind the proxy"},
		{"another", "The API listens on port %d behind the proxy.", "The API listens on port 1%d behind the proxy."},
	} {
		t.Run(pair.name, func(t *testing.T) {
			t.Parallel()
			for round := range 5 {
				project := fmt.Sprintf("%s/%d", pair.name, round)
				texts := [2]string{fmt.Sprintf(pair.a, 8000+round), fmt.Sprintf(pair.b, 8000+round)}
				var results [2]memory.StoreResult
				var both sync.WaitGroup
				for i, c := range []interface {
					Store(context.Context, memory.StoreInput) (memory.StoreResult, error)
				}{l.client, other} {
					both.Go(func() {
						var err error
						ctx, cancel := context.WithTimeout(t.Context(), patience)
						defer cancel()
						if results[i], err = c.Store(ctx, memory.StoreInput{Text: texts[i], Project: project}); err != nil {
							t.Errorf("%s: %v", project, err)
						}
					})
				}
				both.Wait()
				want := 1
				if pair.name == "another" {
					want = 2
				}
				l.checkPair(t, project, want, results)
			}
		})
	}
	t.Cleanup(func() {
		for _, w := range []*process{l.worker, second} {
			if err := w.stop(); err != nil {
				t.Errorf("a worker ended: %v\n%s", err, w.said())
			}
		}
	})
}

// checkPair counts what two stores left.
func (l *lane) checkPair(t *testing.T, project string, want int, results [2]memory.StoreResult) {
	t.Helper()
	// One audit row a workflow: the very same text at once is one workflow.
	workflows := map[string]bool{results[0].WorkflowID: true, results[1].WorkflowID: true}
	eventually(t, func(context.Context) string {
		if n := l.eyes.count(t, `select count(*) from memories where project = $1 and state = 'live' and not dirty`, project); n != want {
			return fmt.Sprintf("%s: %d live memories that are indexed, want %d; told %+v", project, n, want, results)
		}
		rows := l.eyes.count(t, `select count(*) from memory_audit where project = $1 and action = 'store'`, project)
		if rows < len(workflows) || rows > 2 {
			return fmt.Sprintf("%s: %d audit rows of %d workflows", project, rows, len(workflows))
		}
		return ""
	})
	ids := map[string]bool{}
	for _, r := range results {
		if r.Status != memory.Accepted { // what waits does not know yet which memory it will be
			ids[r.ID] = true
		}
	}
	if len(ids) > want {
		t.Errorf("%s: told of %d memories, there are %d: %+v", project, len(ids), want, results)
	}
}
