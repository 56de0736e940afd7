package realtest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// organizes tidies up twice: first as a dry run, then in earnest.
func (c *cluster) organizes(t *testing.T) {
	before := c.live(t)
	sum := func(r memory.OrganizeReport) (scanned, merged int) {
		for _, one := range r.Collections {
			scanned, merged = scanned+one.Scanned, merged+one.Merged
		}
		return scanned, merged
	}
	dry := decode[memory.OrganizeReport](t, c.ok(t, "organize", "--json", "--dry-run"))
	if n := c.live(t); n != before {
		t.Errorf("a dry run left %d of %d memories", n, before)
	}
	scanned, would := sum(dry)
	if scanned < before {
		t.Errorf("%d memories were looked at, want all %d", scanned, before)
	}
	_, merged := sum(decode[memory.OrganizeReport](t, c.ok(t, "organize", "--json")))
	if n := c.live(t); merged != would || n != before-merged {
		t.Errorf("%d should be merged, %d were, %d of %d are left", would, merged, n, before)
	}
}

func (c *cluster) live(t *testing.T) int {
	t.Helper()
	return c.db.ledger(t, "select count(*) from memories where state = 'live'")
}

func (c *cluster) forgets(t *testing.T) {
	r := c.stored(t, "The old wiki is read only.", memory.Stored)
	c.ok(t, "forget", "--json", "--yes", r.ID)
	if a := c.cli(t, "recall", "--json", "--project", "p", "is the old wiki read only"); strings.Contains(a.stdout, r.ID) {
		t.Errorf("what is forgotten is found: %s", a)
	}
}

// schedules looks whether the weekly and the nightly run are on the calendar.
func (c *cluster) schedules(t *testing.T) {
	conn, err := client.DialContext(t.Context(), client.Options{HostPort: c.temporal.addr, Namespace: namespace, Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	eventually(t, func() string { // a list is a little behind
		list, err := conn.ScheduleClient().List(t.Context(), client.ScheduleListOptions{})
		if err != nil {
			return err.Error()
		}
		var ids []string
		for list.HasNext() {
			one, err := list.Next()
			if err != nil {
				return err.Error()
			}
			ids = append(ids, one.ID)
		}
		slices.Sort(ids)
		if len(ids) != 3 || !strings.HasPrefix(ids[0], "index-nightly-") || !strings.HasPrefix(ids[1], "organize-weekly-") ||
			!strings.HasPrefix(ids[2], "snapshot-nightly-") {
			return fmt.Sprintf("the schedules are %q", ids)
		}
		return ""
	})
	found, err := conn.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: "Action = '" + memory.ActionStore + "'"})
	if err != nil || found.GetCount() == 0 {
		t.Errorf("by its search attributes nothing is found: %v, %v", found, err)
	}
}

// workerKilled kills a worker while others store: the second one goes on.
func (c *cluster) workerKilled(t *testing.T, worker *process) {
	c.storeAll(t, "killed", func() {
		worker.kill()
	})
}

// temporalRestarted kills the Temporal server while others store.
func (c *cluster) temporalRestarted(t *testing.T) {
	c.storeAll(t, "restarted", func() {
		c.temporal.kill()
		if a := c.cli(t, "store", "--project", "refused", fact); a.code != 4 || !strings.Contains(a.stderr, "hint:") {
			t.Errorf("store without Temporal: %s", a)
		}
		c.temporal.start(c.t) // it outlives this part
	})
}

// storeAll lets three sessions store while something happens. An accepted
// memory is stored once; what ended in an error at most once.
func (c *cluster) storeAll(t *testing.T, project string, happens func()) {
	const writers, each, after = 3, 6, 4
	var mu sync.Mutex
	told := map[string]answer{}
	enough := make(chan struct{})
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				text := fmt.Sprintf("Session %d noted as number %d that %s is on duty.", w, i, names[(w*each+i)%len(names)])
				a := c.cli(t, "store", "--json", "--project", fmt.Sprintf("%s/%d/%d", project, w, i), text)
				mu.Lock()
				if told[fmt.Sprintf("%s/%d/%d", project, w, i)] = a; len(told) == after {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	happens()
	all.Wait()
	failed := 0
	for name, a := range told {
		if a.code != 0 {
			failed++
			if !strings.Contains(a.stderr, `"hint":`) {
				t.Errorf("%s: an error without a hint: %s", name, a)
			}
			continue
		}
		r := decode[memory.StoreResult](t, a.stdout)
		eventually(t, func() string {
			live := c.db.ledger(t, "select count(*) from memories where project = $1 and state = 'live' and not dirty", name)
			rows := c.db.ledger(t, "select count(*) from memory_audit where workflow_id = $1 and action = 'store'", r.WorkflowID)
			if live != 1 || rows != 1 {
				return fmt.Sprintf("%s: %d memories, %d audit rows, want 1 and 1 (told %s)", name, live, rows, a)
			}
			return ""
		})
	}
	if n := c.db.ledger(t, "select coalesce(max(n), 0) from (select count(*) as n from memories where project like $1 group by project) as p", project+"/%"); n > 1 {
		t.Errorf("a text was stored %d times", n)
	}
	t.Logf("%d stored, %d refused", len(told)-failed, failed)
}

// rebuilds makes the index anew, and compares.
func (c *cluster) rebuilds(t *testing.T) {
	began := time.Now()
	r := decode[memory.RebuildReport](t, c.ok(t, "rebuild", "--json"))
	if !r.Equal {
		t.Errorf("the index is not what the ledger is: %+v", r)
	}
	t.Logf("rebuilt in %s", time.Since(began))
	c.finds(t)
}

// daemon has "mneme up" work at the same addresses, in a namespace that is
// new: it starts no server of its own.
func (c *cluster) daemon(t *testing.T) {
	const fresh = namespace + "-2"
	c.temporal.register(t, fresh)
	w := c.with("MNEME_TEMPORAL_NAMESPACE=" + fresh)
	w.up(t)
	s := w.status(t)
	for _, name := range homestate.ServiceNames() {
		if got := s.Services[name]; got.Mode != homestate.Given || !got.OK {
			t.Errorf("status says of %s: %+v", name, got)
		}
	}
	w.stored(t, "The daemon works at given addresses.", memory.Stored)
	w.finds(t)
}
