package durability

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// TestDiskFullQdrant lets the index write nothing for a while. That is told
// as Qdrant's failure, nothing is lost, and its log is whole afterwards.
func TestDiskFullQdrant(t *testing.T) {
	t.Parallel()
	if realQdrant() != "" {
		t.Skip("a real Qdrant ends by the signal that this limit sends; TestRefused plays its answer to a full disk")
	}
	s, dir := newServices(t), filepath.Join(t.TempDir(), "qdrant")
	p, addr := serveQdrant(t, "", dir, keys{})
	s.qdrant = addr
	r := rig{lane: newLane(t, "disk-qdrant", s, 0)}
	r.restart()
	r.warm("before")
	r.store("p", another)
	limitFiles(t, 1, p.cmd.Process.Pid)
	accepted := r.accepted("Qdrant")
	limitFiles(t, unix.RLIM_INFINITY, p.cmd.Process.Pid)
	r.eyes.checkStoredOnce(t, "after", "during", text, accepted.WorkflowID)
	p.kill()
	serveQdrant(t, addr, dir, keys{})
	r.eyes.checkStoredOnce(t, "after a kill", "during", text, accepted.WorkflowID)
	r.eyes.checkIndexed(t, memory.StoreInput{Text: another, Project: "p", Collection: collection()}.ID())
	if err := r.worker.stop(); err != nil {
		t.Errorf("the worker ended: %v\n%s", err, r.worker.said())
	}
}

// TestDiskFullPostgres has PostgreSQL fail to write its log, which ends it;
// it is started again, now with room, and what was accepted is stored once.
func TestDiskFullPostgres(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.PostgresURLEnv) != "" {
		t.Skip("needs a PostgreSQL of its own; unset " + testkit.PostgresURLEnv)
	}
	s := newServices(t)
	server := startPostgres(t, t.TempDir())
	s.postgres = server.URL()
	l := newLane(t, "disk-postgres", s, 0)
	l.restart()
	l.warm("before")
	before := server.PID()
	limitFiles(t, 1, append([]int{before}, childrenOf(before)...)...)
	l.store("during", text)
	if server.PID() == before {
		t.Error("PostgreSQL has not noticed that it cannot write: the test shows nothing")
	}
	if err := l.worker.stop(); err != nil {
		t.Errorf("the worker ended: %v\n%s", err, l.worker.said())
	}
}

// limitFiles bounds the size of the files that processes write: what a full
// disk is to them, without one.
func limitFiles(t *testing.T, bytes uint64, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		var old unix.Rlimit
		err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &old)
		if err == nil {
			// The hard limit stays, so that this one can be taken back.
			err = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: min(bytes, old.Max), Max: old.Max}, nil)
		}
		switch {
		case errors.Is(err, unix.EPERM):
			t.Skipf("not allowed to limit a process of another user (PostgreSQL's, when root runs the tests): run them as an ordinary user")
		case err != nil && !errors.Is(err, unix.ESRCH):
			t.Fatalf("limit %d: %v", pid, err)
		}
	}
}
