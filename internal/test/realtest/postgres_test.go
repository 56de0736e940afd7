package realtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	embeddedpostgres "github.com/mneme-memory/mneme/embedded/postgres"
)

// The password holds what a URL must escape (but a space, which Temporal does
// not escape for it).
const password = "p@ss/w:rd%100"

// database is a PostgreSQL as an administrator makes one: on a TCP port of
// loopback, with passwords.
type database struct {
	*process
	port int
	bin  string
	dir  string
	run  *syscall.Credential // nil unless we are root
}

// startDatabase makes a cluster and starts it.
func startDatabase(t *testing.T) *database {
	t.Helper()
	found, err := embeddedpostgres.Find(t.Context())
	if err != nil {
		t.Skipf("%v: %s", err, embeddedpostgres.InstallHint)
	}
	d := &database{port: freePort(t), bin: found.Dir, dir: t.TempDir(), run: serverUser(t)}
	d.open(t)
	secret := filepath.Join(d.dir, "password")
	if err := os.WriteFile(secret, []byte(password), 0o644); err != nil {
		t.Fatal(err)
	}
	initdb := d.command("initdb", "-D", d.data(), "-U", "admin", "--auth=scram-sha-256", "--pwfile="+secret, "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	d.start(t)
	for _, name := range []string{"temporal", "mneme"} {
		d.exec(t, fmt.Sprintf("create role %s login createdb password '%s'", name, password))
	}
	d.exec(t, "create database mneme owner mneme")
	return d
}

func (d *database) data() string { return filepath.Join(d.dir, "data") }

// serverUser is who runs PostgreSQL, which refuses to be root's.
func serverUser(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			t.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Skip("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
	return nil
}

// open lets PostgreSQL's user into the folder, which is below others of root's.
func (d *database) open(t *testing.T) {
	t.Helper()
	if d.run == nil {
		return
	}
	for dir := d.dir; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && info.Mode().Perm()&0o001 == 0 {
			err = os.Chmod(dir, info.Mode().Perm()|0o001)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(d.dir, int(d.run.Uid), int(d.run.Gid)); err != nil {
		t.Fatal(err)
	}
}

func (d *database) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(d.bin, name), args...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: d.run}
	return cmd
}

// start starts the server on the cluster and waits until it answers.
func (d *database) start(t *testing.T) {
	t.Helper()
	d.process = start(t, d.command("postgres", "-D", d.data(), "-p", strconv.Itoa(d.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"))
	d.until(t, func() string {
		conn, err := pgx.Connect(t.Context(), d.url("admin", "postgres"))
		if err != nil {
			return err.Error()
		}
		_ = conn.Close(t.Context())
		return ""
	})
}

// url is the address for a role.
func (d *database) url(role, name string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Host: fmt.Sprintf("127.0.0.1:%d", d.port), Path: "/" + name}
	return u.String()
}

func (d *database) exec(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.url("admin", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// ledger asks the ledger one number.
func (d *database) ledger(t *testing.T, sql string, args ...any) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.url("mneme", "mneme"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var n int
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", strings.TrimSpace(sql), err)
	}
	return n
}
