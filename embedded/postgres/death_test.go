package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mneme-memory/mneme/internal/testkit/program"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// The tests in this file run their own binary again: as a parent that is killed, and as an
// ordinary user.
const (
	parentEnv = "MNEME_TEST_POSTGRES_PARENT" // the folder to serve
	userEnv   = "MNEME_TEST_POSTGRES_USER"   // set when running as another user
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		os.Exit(parent(dir))
	}
	os.Exit(m.Run())
}

// parent serves dir, says so, and waits to be killed.
func parent(dir string) int {
	srv, err := Start(context.Background(), Options{Dir: dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(srv.PID(), srv.URL())
	select {}
}

func TestParentKilled(t *testing.T) {
	t.Parallel()
	if _, err := Find(t.Context()); err != nil {
		t.Skipf("%v; %s", err, InstallHint)
	}
	dir := t.TempDir()
	cmd, pid, url := program.Again(t, parentEnv+"="+dir)
	exec1(t, url, "CREATE TABLE kept (v int); INSERT INTO kept VALUES (7)")

	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	// At once: the next start has to wait for the old server, not to stumble over it.
	srv := begin(t, Options{Dir: dir})
	if got := one[int](t, srv.URL(), "SELECT v FROM kept"); got != 7 {
		t.Errorf("got %d", got)
	}
	wait.Until(t, "the killed parent's server is gone", func() bool { return !program.Alive(pid) })
	text, err := os.ReadFile(srv.LogFile())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "fast shutdown request") {
		t.Errorf("the orphan was not shut down cleanly:\n%s", text)
	}
}

// TestOrphanIsStopped has a server nobody watches, as a system would leave that does not
// tell children of their parent's death.
func TestOrphanIsStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := begin(t, Options{Dir: dir})
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	place := srv.place
	if err := place.makeSocketDir(); err != nil {
		t.Fatal(err)
	}
	orphan, err := launch(t.Context(), srv.bin, place)
	if err != nil {
		t.Fatal(err)
	}
	again := begin(t, Options{Dir: dir})
	<-orphan.Exited()
	one[int](t, again.URL(), "SELECT 1")
}

func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := begin(t, Options{Dir: dir})
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	// The number of a live process that is no server of ours: this one.
	stale := fmt.Sprintf("%d\n%s\n", os.Getpid(), filepath.Join(dir, "data"))
	path := filepath.Join(dir, "data", "postmaster.pid")
	if err := os.WriteFile(path, []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := srv.place.account.own(path); err != nil {
		t.Fatal(err)
	}
	one[int](t, begin(t, Options{Dir: dir}).URL(), "SELECT 1")
}

// TestOrdinaryUser runs the other tests again without root's rights.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 || os.Getenv(userEnv) != "" {
		t.Skip("only root can become somebody else")
	}
	who, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("no other user to become: %v", err)
	}
	home, err := os.MkdirTemp("", "mneme-user-") // t.TempDir lies in a folder only we can enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	nobody, err := account{}.dropTo(who)
	if err != nil {
		t.Fatal(err)
	}
	if err := nobody.own(home); err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(home, "postgres.test")
	if err := copyFile(os.Args[0], self); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=DataSurvives|ParentKilled|RestartedWhenKilled|LongPath|NothingIsReadable")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin", userEnv + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody.credential()}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "--- SKIP") || !strings.Contains(string(out), "--- PASS: TestParentKilled") {
		t.Fatalf("%v\n%s", err, out)
	}
}
