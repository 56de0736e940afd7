package homekey

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// home is a folder with a key.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := Ensure(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// talk has a client with one config say a word to a server with another, and returns what
// the client saw.
func talk(t *testing.T, server, client *tls.Config) error {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.Copy(conn, conn) // the client tells what became of it
	}()
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", l.Addr().String(), client)
	if err != nil {
		return err
	}
	defer conn.Close()
	// In TLS 1.3 a client learns with its first read whether it was let in.
	if _, err := conn.Write([]byte("word")); err != nil {
		return err
	}
	_, err = io.ReadFull(conn, make([]byte, len("word")))
	return err
}

func configs(t *testing.T, home string) (server, client *tls.Config) {
	t.Helper()
	server, err := Server(home)
	if err != nil {
		t.Fatal(err)
	}
	client, err = Client(home)
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

// TestOnlyTheHomeGetsIn lets a home talk to itself at any time, and to nobody else.
func TestOnlyTheHomeGetsIn(t *testing.T) {
	t.Parallel()
	ours := home(t)
	server, client := configs(t, ours)
	theirServer, theirClient := configs(t, home(t))

	fromSettings, err := config.HomeTLS(ours).Config()
	if err != nil {
		t.Fatal(err)
	}
	late := client.Clone()
	late.Time = func() time.Time { return time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC) }
	anonymous := client.Clone()
	anonymous.Certificates = nil
	for name, c := range map[string]struct {
		server, client *tls.Config
		in             bool
	}{
		"ours":                     {server, client, true},
		"as a door reads it":       {server, fromSettings, true},
		"with a wrong clock":       {server, late, true},
		"a caller with no key":     {server, anonymous, false},
		"a caller of another home": {server, theirClient, false},
		"a server of another home": {theirServer, client, false},
	} {
		if err := talk(t, c.server, c.client); (err == nil) != c.in {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEnsureKeepsTheKey makes a key once, for its owner only.
func TestEnsureKeepsTheKey(t *testing.T) {
	t.Parallel()
	dir := home(t)
	path := config.HomeKeyPath(dir)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Ensure(dir); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(before) != string(after) {
		t.Errorf("another key: %v", err)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestDamagedKey is told, and never replaced behind the user's back.
func TestDamagedKey(t *testing.T) {
	t.Parallel()
	dir := home(t)
	if err := os.WriteFile(config.HomeKeyPath(dir), []byte("-----BEGIN CERTIFICATE-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Ensure(dir)
	if memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
		t.Error(err)
	}
}
