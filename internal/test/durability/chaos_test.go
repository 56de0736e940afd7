package durability

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The flags of "make chaos".
var (
	chaosKills = flag.Int("kills", 0, "how many processes TestChaos kills; 0 leaves it out")
	chaosSeed  = flag.Uint64("seed", 0, "what TestChaos draws from; 0 means another one each time")
)

// The size of TestChaos.
const (
	sites = 3 // homes side by side
	users = 4 // sessions in each
)

// TestChaos has sessions store, recall, organize, forget, purge, undo, rebuild and back up
// while processes are killed at messages and at random moments, stopped for a while and cut
// off, and while the disk is full. In the end each operation that was acknowledged must have
// taken effect once, the index must equal the ledger, and no run may be left. The numbers in the log are
// those of docs/reliability.md.
func TestChaos(t *testing.T) {
	t.Parallel()
	if *chaosKills == 0 {
		t.Skip(`its moments depend on the machine, so it is played by "make chaos"`)
	}
	kills, seed := *chaosKills, cmp.Or(*chaosSeed, rand.Uint64())
	t.Logf("seed %d, %d kills: make chaos SEED=%d KILLS=%d", seed, kills, seed, kills)
	began := time.Now()
	all := newTally()
	t.Run("sites", func(t *testing.T) {
		for n := range sites {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				takeTurn(t)
				s := newSite(t, fmt.Sprintf("chaos-%d", n), rand.New(rand.NewPCG(seed, uint64(n))), all)
				s.play(kills/sites + min(1, kills%sites))
			})
		}
	})
	t.Logf("seed %d, %s\n%s", seed, time.Since(began).Round(time.Second), all)
	if n := all.killed(); n < kills {
		t.Errorf("%d kills, want %d", n, kills)
	}
}

// site is a home's worth of services, each a process of its own, with sessions and somebody
// who breaks things.
type site struct {
	*lane
	chance *rand.Rand // of who breaks things
	home   string     // of the worker
	disk   disk
	parts  []*part
	tally  *tally

	sessions []*session
	done     atomic.Int64 // operations
}

func newSite(t *testing.T, name string, chance *rand.Rand, all *tally) *site {
	t.Helper()
	s := &site{chance: chance, home: t.TempDir(), tally: all}
	s.disk = newDisk(t)
	services, parts := s.startServices(t)
	s.parts = parts
	s.lane = newLane(t, name, services, killTimeout)
	s.gate.kill = func() { s.worker.kill() }
	s.parts = append(s.parts, s.workerPart())
	s.startWorker()
	s.warm(name)
	for n := range users {
		s.sessions = append(s.sessions, newSession(s, fmt.Sprintf("%s/%d", name, n), rand.New(rand.NewPCG(chance.Uint64(), uint64(n)))))
	}
	return s
}

// play breaks things until so many processes are killed, and looks whether all is well.
func (s *site) play(kills int) {
	s.Helper()
	ctx, stop := context.WithCancel(s.Context())
	var busy sync.WaitGroup
	for _, one := range s.sessions {
		busy.Go(func() { one.work(ctx) })
	}
	report := time.NewTicker(20 * time.Second)
	defer report.Stop()
	for n := 0; n < kills && !s.Failed(); {
		n += s.breakOne()
		select {
		case <-report.C:
			s.Logf("%d of %d kills, %d operations", n, kills, s.tally.operations())
		default:
		}
	}
	stop()
	busy.Wait()
	s.settle()
	s.checkAll()
	if s.Failed() {
		s.keepLog()
	}
	if err := s.worker.stop(); err != nil {
		s.Errorf("the worker ended: %v\n%s", err, s.worker.said())
	}
}

// keepLog shows what the last worker wrote.
func (s *site) keepLog() {
	said := s.worker.said()
	s.Logf("the last worker wrote:\n%s", said[max(0, len(said)-4000):])
}

// startWorker starts a worker in the home of the one before, and does not wait for it.
func (s *site) startWorker() (working <-chan string) {
	cmd := workerCommand(s, s.services)
	cmd.Env = append(s.environ(s.home), s.clock()...)
	s.worker, working = start(s, cmd, isWorking)
	return working
}

// soon is a random time below d.
func (s *site) soon(d time.Duration) time.Duration {
	return time.Duration(s.chance.Int64N(int64(d)))
}

// tally counts what was done to the parts, and what became of the operations.
type tally struct {
	mu     sync.Mutex
	kills  map[string]int
	others map[string]int
	ops    map[string]*opCount
}

type opCount struct{ asked, acknowledged, lost, doubled int }

func newTally() *tally {
	return &tally{kills: map[string]int{}, others: map[string]int{}, ops: map[string]*opCount{}}
}

func (y *tally) kill(part string)  { y.mu.Lock(); y.kills[part]++; y.mu.Unlock() }
func (y *tally) other(what string) { y.mu.Lock(); y.others[what]++; y.mu.Unlock() }

func (y *tally) op(what string, count func(*opCount)) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.ops[what] == nil {
		y.ops[what] = &opCount{}
	}
	count(y.ops[what])
}

func (y *tally) killed() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	n := 0
	for _, k := range y.kills {
		n += k
	}
	return n
}

func (y *tally) operations() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	n := 0
	for _, o := range y.ops {
		n += o.acknowledged
	}
	return n
}

// String is the tables of docs/reliability.md.
func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var b strings.Builder
	b.WriteString("| operation | asked | acknowledged | lost | doubled |\n| --- | --- | --- | --- | --- |\n")
	for _, name := range sorted(y.ops) {
		o := y.ops[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, o.asked, o.acknowledged, o.lost, o.doubled)
	}
	b.WriteString("\n| what was done | times |\n| --- | --- |\n")
	for _, name := range sorted(y.kills) {
		fmt.Fprintf(&b, "| kill -9 of %s | %d |\n", name, y.kills[name])
	}
	for _, name := range sorted(y.others) {
		fmt.Fprintf(&b, "| %s | %d |\n", name, y.others[name])
	}
	return b.String()
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// backups is where the worker of a site writes them.
func (s *site) backups() string { return filepath.Join(s.home, "backups") }
