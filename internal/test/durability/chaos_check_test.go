package durability

import (
	"context"
	"fmt"
	"strings"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/memory"
)

// settle mends everything and waits until nothing waits any more.
func (s *site) settle() {
	s.Helper()
	s.worker.kill()
	<-s.startWorker()
	c, err := client.Dial(client.Options{HostPort: s.direct.temporal, Namespace: s.namespace, Logger: silent()})
	if err != nil {
		s.Errorf("dial Temporal: %v", err)
		return
	}
	defer c.Close()
	count := func(ctx context.Context, query string) (int64, error) {
		n, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
		return n.GetCount(), err
	}
	left := "" // when they were last counted: what is asked last has no time
	eventually(s, func(ctx context.Context) string {
		once, end := context.WithTimeout(ctx, patient)
		defer end()
		switch n, err := count(once, `ExecutionStatus = 'Running'`); {
		case err != nil:
			return fmt.Sprintf("the runs that are left cannot be counted: %v; before %s", err, left)
		case n > 0:
			left = fmt.Sprintf("%d runs are left: %s", n, s.leftRuns(once, c))
			return left
		}
		if n := s.eyes.count(s, `select count(*) from memories where dirty`); n > 0 {
			return fmt.Sprintf("%d memories are not in step with the index", n)
		}
		return ""
	})
	for _, status := range []string{"TimedOut", "Terminated", "Canceled"} {
		if n, err := count(s.Context(), `ExecutionStatus = '`+status+`'`); err != nil || n > 0 {
			s.Errorf("%d runs ended as %s, %v", n, status, err)
		}
	}
}

// leftRuns names some of the runs that are open.
func (s *site) leftRuns(ctx context.Context, c client.Client) string {
	page, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: `ExecutionStatus = 'Running'`, PageSize: 5})
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, e := range page.GetExecutions() {
		names = append(names, e.GetExecution().GetWorkflowId())
	}
	return strings.Join(names, ", ")
}

// checkAll holds ledger, index and audit against what the sessions were told.
func (s *site) checkAll() {
	s.Helper()
	for _, name := range memory.Collections() {
		s.checkCollection(name)
	}
	if n := s.eyes.count(s, `select count(*) from memory_links k where not exists (select from memories m where m.id = k.source_id and m.state = 'live')
or not exists (select from memories m where m.id = k.target_id and m.state = 'live')`); n > 0 {
		s.Errorf("%d links lead to memories that are not live", n)
	}
	for _, u := range s.sessions {
		u.check()
	}
}

// checkCollection compares index and ledger, by id and by what the points hold.
func (s *site) checkCollection(name string) {
	s.Helper()
	ctx := s.Context()
	want := map[string]bool{}
	for after := ""; ; {
		page, err := s.eyes.ledger.Records(ctx, memory.Page{Collection: name, After: after})
		if err != nil {
			s.Errorf("read the ledger: %v", err)
			return
		}
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].ID
		for _, r := range page {
			want[r.ID] = true
		}
		if d, err := s.eyes.index.Compare(ctx, name, page); err != nil || len(d.IDs()) > 0 {
			s.Errorf("%s: the index differs from the ledger: %+v, %v", name, d, err)
		}
	}
	for after := ""; ; {
		ids, err := s.eyes.index.IDs(ctx, name, after, 1000)
		if err != nil {
			s.Errorf("read the index: %v", err)
			return
		}
		if len(ids) == 0 {
			return
		}
		after = ids[len(ids)-1]
		for _, id := range ids {
			if !want[id] {
				s.Errorf("%s: the index has %s, which is not live in the ledger", name, id)
			}
		}
	}
}

// check looks at a session's project.
func (u *session) check() {
	u.Helper()
	for _, f := range u.facts {
		u.checkFact(f)
	}
	for _, p := range u.pairs {
		switch n := u.countOf(p.sql, p.project); {
		case n < p.want:
			u.lost(p.what, fmt.Sprintf("in %s: %d rows, want %d: %s", p.project, n, p.want, p.sql))
		case n > p.want:
			u.doubled(p.what, fmt.Sprintf("in %s: %d rows, want %d: %s", p.project, n, p.want, p.sql))
		}
	}
	rows := u.countOf(`select count(*) from memory_audit where action = 'recall' and project = $1`, u.project)
	switch {
	case rows < u.recalls.answered:
		u.lost(memory.ActionRecall, fmt.Sprintf("is counted %d times, and was answered %d times", rows, u.recalls.answered))
	case rows > u.recalls.all:
		u.doubled(memory.ActionRecall, fmt.Sprintf("is counted %d times, and was asked for %d times", rows, u.recalls.all))
	}
}

func (u *session) doubled(what, how string) {
	u.tally.op(what, func(o *opCount) { o.doubled++ })
	u.Errorf("%s: %s %s", u.project, what, how)
}

// checkFact holds a memory's state against its last change, and the audit against all changes.
func (u *session) checkFact(f *fact) {
	u.Helper()
	switch {
	case f.unsure:
	case f.state == "":
		if n := u.countOf(`select count(*) from memories where id = $1 and text <> ''`, f.id); n > 0 {
			u.lost("purge", "left the text of "+f.id)
		}
	default:
		// The text of a forgotten memory is in its history only.
		if n := u.countOf(`select count(*) from memories where id = $1 and state = $2 and (text = $3 or state = 'forgotten')`, f.id, string(f.state), f.text); n != 1 {
			u.lost("state", fmt.Sprintf("of %s is not %s with %q: %+v", f.id, f.state, f.text, f.made))
		}
	}
	for _, what := range []string{memory.ActionStore, memory.ActionUpdate, memory.ActionForget, memory.ActionRestore, memory.ActionUndo} {
		m := f.of(what)
		sql := `select count(*) from memory_versions where memory_id = $1 and action = $2`
		switch n := u.countOf(sql, f.id, what); {
		case n < m.acknowledged && what != memory.ActionForget, n+f.of("purge").asked < m.acknowledged:
			u.lost(what, fmt.Sprintf("of %s: %d versions, acknowledged %d times", f.id, n, m.acknowledged))
		case n > m.asked+f.of("purge").asked:
			u.doubled(what, fmt.Sprintf("of %s: %d versions, asked for %d times", f.id, n, m.asked))
		}
	}
}
