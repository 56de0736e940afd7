package durability

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/embedded/postgres"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// outageLasts is how long a part is away after the store was accepted. The
// long form is a minute, the short one as long as the questions take.
func outageLasts() time.Duration {
	if long() {
		return time.Minute
	}
	return 0
}

// patient is how long a caller of these tests waits for an answer.
const patient = 20 * time.Second

// rig is a full set of services of which one can be broken and mended.
type rig struct {
	*lane
	breakIt, mend func()
}

// TestOutage takes one part away while something is stored, by the end of its
// process and by a process that hangs, and gives it back.
func TestOutage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, part string
		rig        func(t *testing.T, name string) rig
		recall     func(memory.RecallResult, error) error // what a recall meanwhile must say
	}{
		{"ollama-stopped", "Ollama", ollamaRig(ended), keywordsOnly},
		{"ollama-hangs", "Ollama", ollamaRig(hangs), keywordsOnly},
		{"qdrant-stopped", "Qdrant", qdrantRig(ended), namesQdrant},
		{"qdrant-hangs", "Qdrant", qdrantRig(hangs), namesQdrant},
		{"postgres-stopped", "PostgreSQL", postgresRig(ended), asEver},
		{"postgres-hangs", "PostgreSQL", postgresRig(hangs), asEver},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := c.rig(t, c.name)
			r.restart()
			r.warm("before")
			r.store("p", another)
			r.breakIt()
			gone := time.Now()
			accepted := r.accepted(c.part)
			meanwhile := r.recalls("recall meanwhile", c.recall)
			<-time.After(time.Until(gone.Add(outageLasts())))
			r.mend()
			r.eyes.checkStoredOnce(t, c.name, "during", text, accepted.WorkflowID)
			r.checkCounted(meanwhile, r.recalls("recall afterwards", asEver))
			if err := r.worker.stop(); err != nil {
				t.Errorf("the worker ended: %v\n%s", err, r.worker.said())
			}
		})
	}
}

// accepted stores a text and wants to hear that it has to wait for part; so
// must a second caller with the same text. On a busy machine there may be no
// answer in time, or another part may be slow as well: then it asks again. What
// may never be told is that it is done.
func (r rig) accepted(part string) memory.StoreResult {
	r.Helper()
	var first memory.StoreResult
	for range 2 {
		eventually(r, func(ctx context.Context) string {
			ctx, cancel := context.WithTimeout(ctx, patient)
			defer cancel()
			got, err := r.client.Store(ctx, memory.StoreInput{Text: text, Project: "during"})
			told := fmt.Sprintf("store without %s: told %+v, %v; want accepted, waiting for %s", part, got, err, part)
			switch {
			case err != nil && memory.CodeOf(err) == memory.Unavailable:
				return told
			case err != nil || got.Status != memory.Accepted || first.ID != "" && got.ID != first.ID:
				r.Error(told)
				return ""
			case got.WaitingFor != part || !strings.Contains(got.Message, part):
				return told
			}
			first = got
			return ""
		})
	}
	return first
}

func (r rig) recall(query string) (memory.RecallResult, error) {
	ctx, cancel := context.WithTimeout(r.Context(), patient)
	defer cancel()
	everything := 0.0
	return r.client.Recall(ctx, memory.Query{Text: query, Project: "p", MinScore: &everything})
}

// asked counts recalls. One that nobody waited for any more may have been
// answered all the same.
type asked struct{ all, answered int }

// recalls asks until there is an answer, or the failure that is wanted: on a
// busy machine there may be none in time. An answer must be the wanted one.
func (r rig) recalls(what string, wrong func(memory.RecallResult, error) error) asked {
	r.Helper()
	var n asked
	eventually(r, func(context.Context) string {
		n.all++
		answer, err := r.recall("when do backups run")
		if err == nil {
			n.answered++
		}
		switch why := wrong(answer, err); {
		case why == nil:
			return ""
		case memory.CodeOf(err) == memory.Unavailable:
			return fmt.Sprintf("%s: %v", what, why)
		default:
			r.Errorf("%s: %v", what, why)
			return ""
		}
	})
	return n
}

// checkCounted looks whether each answer was counted once.
func (r rig) checkCounted(each ...asked) {
	r.Helper()
	var n asked
	for _, a := range each {
		n.all, n.answered = n.all+a.all, n.answered+a.answered
	}
	eventually(r, func(context.Context) string {
		if rows := r.eyes.count(r, `select count(*) from memory_audit where action = 'recall' and project = 'p'`); rows < n.answered || rows > n.all {
			return fmt.Sprintf("%d recalls are counted; %d were asked, %d answered", rows, n.all, n.answered)
		}
		return ""
	})
}

func keywordsOnly(r memory.RecallResult, err error) error {
	if err != nil || r.Degraded == "" || len(r.Hits) == 0 {
		return fmt.Errorf("%d hits, degraded %q, %w; want hits by keywords, and that it says so", len(r.Hits), r.Degraded, err)
	}
	return nil
}

func namesQdrant(_ memory.RecallResult, err error) error {
	if memory.CodeOf(err) != memory.Unavailable || memory.PartOf(err) != "Qdrant" {
		return fmt.Errorf("told %w (%s, part %q); want unavailable, part Qdrant", err, memory.CodeOf(err), memory.PartOf(err))
	}
	return nil
}

func asEver(r memory.RecallResult, err error) error {
	if err != nil || r.Degraded != "" || len(r.Hits) == 0 {
		return fmt.Errorf("%d hits, degraded %q, %w; want an answer", len(r.Hits), r.Degraded, err)
	}
	return nil
}

// The ways for a part to be away.
type way int

const (
	ended way = iota // its process is killed: connections are refused
	hangs            // its process is stopped: connections are taken, nothing is answered
)

// child breaks and mends a server that is one child process.
func child(p *process, w way, again func() *process) (breakIt, mend func()) {
	if w == hangs {
		return func() { p.signal(syscall.SIGSTOP) }, func() { p.signal(syscall.SIGCONT) }
	}
	return p.kill, func() { again() }
}

func ollamaRig(w way) func(*testing.T, string) rig {
	return func(t *testing.T, name string) rig {
		s := newServices(t)
		p, addr := serveChild(t, "ollama", "", "")
		s.ollama = "http://" + addr
		breakIt, mend := child(p, w, func() *process { p, _ := serveChild(t, "ollama", addr, ""); return p })
		return rig{newLane(t, name, s, 0), breakIt, mend}
	}
}

func qdrantRig(w way) func(*testing.T, string) rig {
	return func(t *testing.T, name string) rig {
		s, dir := newServices(t), filepath.Join(t.TempDir(), "qdrant")
		p, addr := serveQdrant(t, "", dir, keys{})
		s.qdrant = addr
		breakIt, mend := child(p, w, func() *process { p, _ := serveQdrant(t, addr, dir, keys{}); return p })
		return rig{newLane(t, name, s, 0), breakIt, mend}
	}
}

func postgresRig(w way) func(*testing.T, string) rig {
	return func(t *testing.T, name string) rig {
		if os.Getenv(testkit.PostgresURLEnv) != "" {
			t.Skip("needs a PostgreSQL of its own to stop; unset " + testkit.PostgresURLEnv)
		}
		s, dir := newServices(t), t.TempDir()
		server := startPostgres(t, dir)
		s.postgres = server.URL()
		r := rig{lane: newLane(t, name, s, 0)}
		r.breakIt = func() { signalAll(t, server.PID(), syscall.SIGSTOP) }
		r.mend = func() { signalAll(t, server.PID(), syscall.SIGCONT) }
		if w == ended {
			r.breakIt = func() {
				if err := server.Stop(); err != nil {
					t.Errorf("stop PostgreSQL: %v", err)
				}
			}
			r.mend = func() { startPostgres(t, dir) }
		}
		return r
	}
}

func startPostgres(t testing.TB, dir string) *postgres.Server {
	t.Helper()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return server
}

// signalAll signals a process and its children, the process first: it cannot
// make more of them then.
func signalAll(t testing.TB, pid int, s syscall.Signal) {
	t.Helper()
	for _, p := range append([]int{pid}, childrenOf(pid)...) {
		if err := syscall.Kill(p, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Errorf("signal %d: %v", p, err)
		}
	}
}

// childrenOf lists the living children of a process, where /proc tells.
func childrenOf(parent int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var found []int
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}
