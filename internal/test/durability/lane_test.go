package durability

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// killTimeout is when Temporal notices that a killed worker does not finish
// its task. Ten seconds by default: the tests would mostly wait. Much less
// would mistake a worker of a busy machine for a dead one.
const killTimeout = 5 * time.Second

// lane is a worker behind a gate with work of its own. Lanes run side by side
// and share the servers.
type lane struct {
	testing.TB
	services // behind the gate
	direct   services
	gate     *gate
	client   *workflows.Client // not through the gate: whoever asks is not killed
	eyes     eyes
	worker   *process
}

// newLane makes a lane. Zero leaves Temporal's own task timeout. The worker is started by
// [lane.restart].
func newLane(t testing.TB, name string, s services, taskTimeout time.Duration) *lane {
	t.Helper()
	s.namespace = name
	makeNamespace(t, s)
	l := &lane{TB: t, direct: s, gate: &gate{}, eyes: openEyes(t, s)}
	l.services = s.through(t, l.gate)
	l.gate.kill = func() { l.worker.kill() }
	l.client = dialWorkflows(t, s, taskTimeout)
	return l
}

// restart starts a worker in place of the killed one.
func (l *lane) restart() { l.worker = startWorker(l, l.services) }

// store stores a text that must be new, and waits until it is.
func (l *lane) store(project, text string) memory.StoreResult {
	l.Helper()
	var r memory.StoreResult
	unheard := false // the truth too, where the machine is so busy that nobody answers in time
	eventually(l, func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, patience/2)
		defer cancel()
		var err error
		r, err = l.client.Store(ctx, memory.StoreInput{Text: text, Project: project})
		told := fmt.Sprintf("store %q: told %+v, %v; want stored or accepted", text, r, err)
		switch {
		case memory.CodeOf(err) == memory.Unavailable:
			unheard = true
			return told
		case err != nil, r.Status == memory.MergedIn && !unheard:
			l.Error(told)
		}
		return ""
	})
	if unheard {
		l.eyes.checkStored(l, project, project, text, r.WorkflowID)
	} else {
		l.eyes.checkStoredOnce(l, project, project, text, r.WorkflowID)
	}
	return r
}

// warm waits until the lane's namespace knows its search attributes, which
// takes Temporal some seconds, and the worker has done something.
func (l *lane) warm(project string) {
	l.Helper()
	eventually(l, func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, patient)
		defer cancel()
		_, err := l.client.Store(ctx, memory.StoreInput{Text: "The worker of this lane is warm.", Project: project + "/warm"})
		if err != nil {
			return fmt.Sprintf("warm up: %v", err)
		}
		return ""
	})
}

// scenario is something a caller asks for, and how to know that it was done
// exactly once.
type scenario struct {
	lanes int // how many run side by side
	// every is 1 to kill at every message, 3 to kill at every third one. The
	// long form of the tests kills at every one.
	every int
	// prepare stores what the call is about. The worker lives meanwhile.
	prepare func(l *lane, project string)
	// call asks, waits for the answer, and checks that it is true and that
	// exactly this was done.
	call func(l *lane, project string)
}

// busy holds back all but a few of the tests that kill workers over and over: they mostly wait, for
// tasks that time out, but all at once would starve each other.
var busy = make(chan struct{}, 3)

// takeTurn waits until a test may keep the machine busy, which it does until it ends.
func takeTurn(t testing.TB) {
	t.Helper()
	busy <- struct{}{}
	t.Cleanup(func() { <-busy })
}

// killAtEach runs a scenario over and over and kills the worker at the first
// message of the first run, at the second message of the second one, and so
// on until a run sees fewer messages than that. A new worker goes on each time.
func killAtEach(t *testing.T, sc scenario, s func() services) {
	t.Helper()
	every := int64(sc.every)
	if long() {
		every = 1
	}
	var next, kills atomic.Int64
	next.Store(1 - every)
	var done atomic.Bool
	var all sync.WaitGroup
	lanes := make([]*lane, sc.lanes)
	for n := range lanes {
		lanes[n] = newLane(t, fmt.Sprintf("%s-%d", t.Name(), n), s(), killTimeout)
		lanes[n].restart()
	}
	for _, l := range lanes {
		all.Go(func() {
			for !done.Load() && !t.Failed() {
				at := int(next.Add(every))
				if !l.killAt(at, fmt.Sprintf("%s/%d", t.Name(), at), sc) {
					done.Store(true)
					break
				}
				kills.Add(1)
			}
			if err := l.worker.stop(); err != nil {
				t.Errorf("the last worker ended: %v\n%s", err, l.worker.said())
			}
		})
	}
	all.Wait()
	t.Logf("killed %d times, at every message 1+%d·n", kills.Load(), every)
	if kills.Load() < 3 {
		t.Errorf("only %d kills: the gate does not see the work", kills.Load())
	}
}

// killAt runs a scenario and kills the worker at one message. It reports
// whether the scenario sent so many messages.
func (l *lane) killAt(at int, project string, sc scenario) bool {
	l.warm(project)
	if sc.prepare != nil {
		sc.prepare(l, project)
	}
	hit := l.gate.arm(at)
	answered := make(chan struct{})
	go func() { defer close(answered); sc.call(l, project) }()
	select {
	case <-hit:
	case <-answered:
		// The message may be one that the worker sends after the answer.
		select {
		case <-hit:
		case <-time.After(time.Second):
		}
	}
	seen, killed := l.gate.disarm()
	if killed {
		l.restart()
	}
	<-answered
	if l.Failed() {
		l.Logf("%s: killed %v; seen %q", project, killed, seen)
	}
	return killed
}
