package postgres

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// asRoot skips a test that changes owners, and returns an account that is not the server's.
func asRoot(t *testing.T) account {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can give files to others")
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("no other user here: %v", err)
	}
	a, err := account{}.dropTo(nobody)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stopped makes a cluster with one table, and stops its server.
func stopped(t *testing.T, dir string) *Server {
	t.Helper()
	srv := begin(t, Options{Dir: dir})
	exec1(t, srv.URL(), "CREATE TABLE kept (v int); INSERT INTO kept VALUES (7)")
	if uid, err := ownerOf(filepath.Join("/proc", strconv.Itoa(srv.PID()))); err != nil || uid == 0 {
		t.Errorf("the server runs as %d (%v)", uid, err)
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	return srv
}

// giveAll gives a folder and all in it to an account.
func giveAll(t *testing.T, dir string, a account) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, a.uid, a.gid)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A cluster of an earlier release belongs to another user. The next start takes it over.
func TestClusterIsHandedOver(t *testing.T) {
	t.Parallel()
	before := asRoot(t)
	for name, dir := range map[string]string{"short": t.TempDir(), "long": filepath.Join(t.TempDir(), strings.Repeat("long", 30))} {
		srv := stopped(t, dir)
		giveAll(t, srv.place.data, before)
		if err := os.MkdirAll(srv.place.socketDir, 0o700); err != nil {
			t.Fatal(err)
		}
		giveAll(t, srv.place.socketDir, before)
		again := begin(t, Options{Dir: dir})
		if got := one[int](t, again.URL(), "SELECT v FROM kept"); got != 7 {
			t.Errorf("%s: got %d", name, got)
		}
		if uid, err := ownerOf(again.place.data); err != nil || uid != again.place.account.uid || uid == before.uid {
			t.Errorf("%s: the cluster belongs to %d (%v)", name, uid, err)
		}
		if own, err := user.Lookup(ownUser); err == nil && own.Uid != strconv.Itoa(again.place.account.uid) {
			t.Errorf("%s: the server runs as %s, not as %s", name, again.place.account.name, ownUser)
		}
	}
}

// What the old user put into its folder is not taken for the cluster's.
func TestHandoverTakesNothingElse(t *testing.T) {
	t.Parallel()
	before := asRoot(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := serverAccount(t.Context(), discard())
	if err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"a link":             func(path string) error { return os.Symlink(outside, path) },
		"a second name":      func(path string) error { return os.Link(outside, path) },
		"somebody's file":    func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"nothing out of way": func(string) error { return nil },
	} {
		p := &place{account: a, data: filepath.Join(t.TempDir(), "data")}
		if err := os.Mkdir(p.data, 0o700); err != nil {
			t.Fatal(err)
		}
		giveAll(t, p.data, before)
		planted := filepath.Join(p.data, "planted")
		if err := plant(planted); err != nil {
			t.Fatal(err)
		}
		if name == "somebody's file" {
			if err := os.Lchown(planted, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
		err := p.takeOver(discard())
		if refused := name == "a second name" || name == "somebody's file"; (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
		if uid, err := ownerOf(outside); err != nil || uid != 0 {
			t.Errorf("%s: the file outside belongs to %d now (%v)", name, uid, err)
		}
	}
}

// TestSharedAccount is about a system on which no user can be made: PostgreSQL runs in an
// account that exists already, and the log warns that others may read the data.
func TestSharedAccount(t *testing.T) {
	t.Parallel()
	asRoot(t)
	var said bytes.Buffer
	a, err := sharedAccount(account{}, slog.New(slog.NewTextHandler(&said, nil)), fs.ErrPermission)
	if err != nil || !a.dropped || a.uid == 0 || !strings.Contains(said.String(), "useradd --system "+ownUser) {
		t.Errorf("%+v, %v: %s", a, err, said.String())
	}
}
