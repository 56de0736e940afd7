package durability

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/embedded/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
)

// part is what can be killed.
type part struct {
	name   string
	weight int // how often, among the others
	kill   func()
	mend   func()       // starts it again; nothing where somebody else does
	pids   func() []int // its processes
}

// startServices starts a Temporal, a Qdrant and a PostgreSQL that can be killed, on the disk
// of the site.
func (s *site) startServices(t *testing.T) (services, []*part) {
	t.Helper()
	out := services{ollama: modelURL}
	var parts []*part
	server := func(name string, weight int, addr *string, serve func(addr string) (*process, string)) {
		p, at := serve("")
		*addr = at
		parts = append(parts, &part{
			name: name, weight: weight,
			kill: func() { p.kill() },
			mend: func() { p, _ = serve(at) },
			pids: func() []int { return []int{p.cmd.Process.Pid} },
		})
	}
	temporalDir, qdrantDir := filepath.Join(s.disk.dir, "temporal"), filepath.Join(s.disk.dir, "qdrant")
	server("Temporal", 5, &out.temporal, func(addr string) (*process, string) {
		return serveChild(t, "temporal", addr, temporalDir, "-attributes")
	})
	server("Qdrant", 10, &out.qdrant, func(addr string) (*process, string) {
		return serveQdrant(t, addr, qdrantDir, keys{})
	})
	if given := os.Getenv(testkit.PostgresURLEnv); given != "" {
		out.postgres = testkit.Schema(t, given)
		return out, parts
	}
	pg := startPostgres(t, filepath.Join(s.disk.dir, "postgres"))
	out.postgres = pg.URL()
	return out, append(parts, postgresParts(t, pg)...)
}

// postgresParts are the server itself, and one of the processes that serve a connection, whose
// death has the server begin anew.
func postgresParts(t *testing.T, pg *postgres.Server) []*part {
	pids := func() []int { return append([]int{pg.PID()}, childrenOf(pg.PID())...) }
	kill := func(choose func([]int) int) func() {
		return func() {
			if err := syscall.Kill(choose(pids()), syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				t.Errorf("kill PostgreSQL: %v", err)
			}
		}
	}
	again := func() {} // who started it looks after it
	return []*part{
		{name: "PostgreSQL", weight: 8, pids: pids, mend: again, kill: kill(func(all []int) int { return all[0] })},
		{name: "a process of PostgreSQL", weight: 4, pids: pids, mend: again, kill: kill(func(all []int) int { return all[len(all)-1] })},
	}
}

func (s *site) workerPart() *part {
	return &part{
		name: "the worker", weight: 20,
		kill: func() { s.worker.kill() },
		mend: func() { s.waitSome(s.startWorker()) },
		pids: func() []int { return []int{s.worker.cmd.Process.Pid} },
	}
}

// waitSome waits until a worker works, or some time less, so that it is killed while it starts, too.
func (s *site) waitSome(working <-chan string) {
	if s.chance.IntN(4) == 0 {
		time.Sleep(s.soon(time.Second))
		return
	}
	select {
	case <-working:
	case <-s.worker.ended: // a part is refusing: settle tells
	case <-time.After(3 * time.Second): // a part is down
	}
}

// breakOne does one thing to one part, and returns how many processes it killed.
func (s *site) breakOne() int {
	s.letWork()
	switch n := s.chance.IntN(100); {
	case n < 50:
		return s.killAtMessage()
	case n < 84:
		return s.killAnyTime()
	case n < 91:
		s.pause()
	case n < 98:
		s.gate.cut()
		s.tally.other("connections of the worker cut")
	default:
		if s.disk.fill == nil {
			return 0
		}
		s.tally.other("disk full")
		empty := s.disk.fill(s.allPIDs())
		time.Sleep(time.Second + s.soon(time.Second))
		empty()
		return s.restartTemporal() // what its answers ask for after a disk that took nothing
	}
	return 0
}

// letWork waits until some operations are done since the last time, or some time has passed.
func (s *site) letWork() {
	before, enough := s.done.Load(), 1+s.chance.Int64N(users)
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) && s.done.Load() < before+enough; {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(s.soon(100 * time.Millisecond))
}

func (s *site) restartTemporal() int {
	for _, p := range s.parts {
		if p.name == "Temporal" {
			p.kill()
			s.tally.kill(p.name)
			p.mend()
			return 1
		}
	}
	return 0
}

func (s *site) allPIDs() []int {
	var all []int
	for _, p := range s.parts {
		if p.name != "the worker" {
			all = append(all, p.pids()...)
		}
	}
	return all
}

// killAtMessage kills the worker at one of its next messages: at one, at the beginning or the
// end of a step, or in one.
func (s *site) killAtMessage() int {
	select {
	case <-s.gate.arm(1 + s.chance.IntN(40)):
	case <-time.After(time.Second):
	}
	name := "the worker at a message"
	if _, killed := s.gate.disarm(); !killed { // all is still
		s.worker.kill()
		name = "the worker"
	}
	s.tally.kill(name)
	s.waitSome(s.startWorker())
	return 1
}

// killAnyTime kills a part, and sometimes the worker with it.
func (s *site) killAnyTime() int {
	victims := []*part{s.anyPart()}
	if victims[0].name != "the worker" && s.chance.IntN(4) == 0 {
		victims = append(victims, s.parts[len(s.parts)-1])
	}
	for _, v := range victims {
		v.kill()
		s.tally.kill(v.name)
	}
	time.Sleep(s.soon(time.Second))
	for _, v := range victims {
		v.mend()
	}
	return len(victims)
}

// pause has a part hang for a while.
func (s *site) pause() {
	p := s.anyPart()
	s.tally.other("stopped for a while: " + p.name)
	pids := p.pids()
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
	}
	time.Sleep(200*time.Millisecond + s.soon(2500*time.Millisecond))
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

func (s *site) anyPart() *part {
	sum := 0
	for _, p := range s.parts {
		sum += p.weight
	}
	n := s.chance.IntN(sum)
	for _, p := range s.parts {
		if n -= p.weight; n < 0 {
			return p
		}
	}
	return s.parts[0]
}
