package endtoend

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/testkit/program"
)

// mended checks what the killed hooks left, lets each session end, and checks
// that all is in order then. Deliver is called until nothing waits any more.
func (k *killing) mended(t *testing.T, deliver func(n int)) {
	t.Helper()
	k.noProcess(t)
	k.whole(t)
	k.noLockHeld(t)
	k.ageTemporary(t) // only age tells what nobody writes any more
	var wg sync.WaitGroup
	ids := make(chan string)
	for range 2 {
		wg.Go(func() {
			for id := range ids {
				k.unharmed(t, "SessionEnd", id)
			}
		})
	}
	for i := range k.sessions {
		ids <- k.session(i)
	}
	close(ids)
	wg.Wait()
	tries := 0
	k.until(t, "what waits is delivered", func() string {
		tries++
		deliver(tries)
		state, err := k.waiting.State()
		if err != nil || state.Entries > 0 || state.Quarantined > 0 {
			return fmt.Sprintf("%+v, %v", state, err)
		}
		return ""
	})
	tries = 0
	k.until(t, "nothing half written is left", func() string {
		tries++
		k.ageTemporary(t) // a hook that came to its deadline leaves some too
		k.unharmed(t, "SessionStart", fmt.Sprintf("next-%d", tries))
		return strings.Join(append(k.files(t, "sessions", ".*.json[0-9]*"), k.files(t, "spool", ".*.json[0-9]*")...), " ")
	})
	k.storedOnce(t)
	k.expire(t)
	k.noProcess(t)
	k.noLockHeld(t)
}

// until waits for a condition, which says what is wrong.
func (k *killing) until(t *testing.T, what string, wrong func() string) {
	t.Helper()
	end := time.Now().Add(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for why := wrong(); why != ""; why = wrong() {
		if time.Now().After(end) {
			t.Fatalf("%s: not so after %s: %s", what, patience, why)
		}
		<-tick.C
	}
}

// noProcess waits until no process is left of a hook or of what it called.
func (k *killing) noProcess(t *testing.T) {
	t.Helper()
	if err := program.Left(filepath.Join(k.dir, "user")); err != nil {
		t.Error(err)
	}
}

// whole checks that every file that is in its place was written to its end.
func (k *killing) whole(t *testing.T) {
	t.Helper()
	for _, path := range k.files(t, "spool", "*.json") {
		var e spool.Entry
		k.decode(t, path, &e)
		if e.Key == "" || e.Store == nil && e.Credit == nil && len(e.Events) == 0 {
			t.Errorf("%s holds no request", path)
		}
	}
	for _, path := range k.files(t, "sessions", "*.json") {
		var s session.State
		if k.decode(t, path, &s); s.Session == "" {
			t.Errorf("%s is no session's", path)
		}
	}
	data, err := os.ReadFile(hooklog.Path(k.home))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte("[" + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",") + "]")) {
		t.Error("the log holds half a line")
	}
}

func (k *killing) decode(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return // delivered since
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// noLockHeld takes each lock, which the daemon may hold for a moment.
func (k *killing) noLockHeld(t *testing.T) {
	t.Helper()
	locks := append(k.files(t, "sessions", ".*.lock"), k.files(t, "spool", ".lock")...)
	if len(locks) == 0 {
		t.Error("there are no locks: nothing was tested")
	}
	k.until(t, "no lock is held", func() string {
		for _, path := range locks {
			l := flock.New(path)
			if ok, err := l.TryLock(); err != nil || !ok {
				return fmt.Sprintf("%s %v", path, err)
			}
			if err := l.Unlock(); err != nil {
				t.Fatal(err)
			}
		}
		return ""
	})
}

// ageTemporary makes half-written files as old as they are when somebody looks.
func (k *killing) ageTemporary(t *testing.T) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	left := append(k.files(t, "sessions", ".*.json[0-9]*"), k.files(t, "spool", ".*.json[0-9]*")...)
	t.Logf("%d half-written files were left", len(left))
	for _, path := range left {
		if err := os.Chtimes(path, old, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// storedOnce looks at what was learned in all sessions.
func (k *killing) storedOnce(t *testing.T) {
	t.Helper()
	exported := shared.ok(t, "export", "--project", k.project)
	for n := range k.sessions {
		if got := strings.Count(exported, "/"+file(n)); got != 1 {
			log, err := hooklog.Read(k.home, k.session(n), 0)
			t.Errorf("what session %d learned is stored %d times; its hooks: %+v, %v", n, got, log, err)
		}
	}
}

// expire lets a month go by, after which the next session removes what is left
// of the others.
func (k *killing) expire(t *testing.T) {
	t.Helper()
	old := time.Now().Add(-session.Lifetime - time.Hour)
	for _, path := range k.files(t, "sessions", "*.json") {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	k.unharmed(t, "SessionStart", "later")
	if left := k.files(t, "sessions", "*.json"); len(left) != 1 {
		t.Errorf("after a month %d sessions are kept, want the one that has just begun", len(left))
	}
}

func (k *killing) files(t *testing.T, folder, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(k.home, folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// known are the files that hooks keep, in the data folder.
var known = regexp.MustCompile(`^(sessions/([0-9a-f]{32}\.json|\.(state|sweep)-[0-9a-f]\.lock|\.waited|\.[0-9a-f]{32}\.json\d+)` +
	`|spool/([0-9a-f]{32}\.json|\.lock|\.[0-9a-f]{32}\.json\d+)|logs/hooks\.jsonl(\.1)?)$`)

// onlyOurs checks that hooks wrote their own files only, for their owner alone
// to read.
func (k *killing) onlyOurs(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(k.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(k.home, path)
		if !d.IsDir() && !known.MatchString(filepath.ToSlash(name)) {
			t.Errorf("hooks left %s", path)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{k.tmp() + "/*", filepath.Join(k.dir, "user") + "/*", k.repo() + "/.git/*.lock"} {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			t.Errorf("hooks left %v, %v", found, err)
		}
	}
}
