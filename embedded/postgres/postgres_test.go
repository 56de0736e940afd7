package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/internal/testkit/program"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// begin starts a server that ends with the test, or skips where there is no PostgreSQL.
func begin(t testing.TB, opts Options) *Server {
	t.Helper()
	if _, err := Find(t.Context()); err != nil && opts.CacheDir == "" {
		t.Skipf("%v; %s", err, InstallHint)
	}
	opts.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	srv, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return srv
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func one[T any](t testing.TB, url, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := connect(t, url).QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func exec1(t testing.TB, url, sql string) {
	t.Helper()
	if _, err := connect(t, url).Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestDataSurvivesRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's a \"folder\"")
	srv := begin(t, Options{Dir: dir})
	exec1(t, srv.URL(), "CREATE TABLE kept (v text); INSERT INTO kept VALUES ('ä 漢')")
	pid := srv.PID()
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	if program.Alive(pid) {
		t.Error("the process is still there")
	}
	began := time.Now()
	again := begin(t, Options{Dir: dir})
	t.Logf("warm start: %s", time.Since(began))
	if again.URL() != srv.URL() {
		t.Errorf("the address changed: %s, %s", srv.URL(), again.URL())
	}
	if got := one[string](t, again.URL(), "SELECT v FROM kept"); got != "ä 漢" {
		t.Errorf("got %q", got)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	srv := begin(t, Options{Dir: t.TempDir()})
	for setting, want := range map[string]string{
		"listen_addresses":                  "",
		"server_encoding":                   "UTF8",
		"lc_collate":                        "C",
		"data_checksums":                    "on",
		"fsync":                             "on",
		"synchronous_commit":                "on",
		"log_statement":                     "none",
		"log_min_error_statement":           "panic",
		"log_parameter_max_length_on_error": "0",
		"unix_socket_permissions":           "0700",
		"jit":                               "off",
	} {
		if setting == "lc_collate" {
			if got := one[string](t, srv.URL(), "SELECT datcollate FROM pg_database WHERE datname = current_database()"); got != want {
				t.Errorf("collation %q", got)
			}
			continue
		}
		if got := one[string](t, srv.URL(), "SELECT current_setting($1)", setting); got != want {
			t.Errorf("%s is %q, not %q", setting, got, want)
		}
	}
	if strings.Contains(srv.URL(), "password") || strings.Contains(srv.URL(), ":@") {
		t.Error(srv.URL())
	}
	if got := one[string](t, srv.URL(), "SHOW server_version"); !strings.HasPrefix(got, srv.Version()) {
		t.Errorf("version %q, server says %q", srv.Version(), got)
	}
}

func TestNothingIsReadableByOthers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "home")
	srv := begin(t, Options{Dir: dir})
	for path, want := range map[string]os.FileMode{
		dir:                        0o700,
		filepath.Join(dir, "data"): 0o700,
		srv.place.socketDir:        0o700,
		srv.LogFile():              0o600,
		filepath.Join(srv.place.socketDir, socketName): 0o700,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	hba, err := os.ReadFile(filepath.Join(dir, "data", "pg_hba.conf"))
	if err != nil || strings.Contains(string(hba), "trust") || strings.Contains(string(hba), "host") {
		t.Errorf("%s %v", hba, err)
	}
}

func TestTextsDoNotReachTheLog(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	srv := begin(t, Options{Dir: t.TempDir()})
	exec1(t, srv.URL(), "CREATE TABLE unique_texts (v text PRIMARY KEY)")
	conn := connect(t, srv.URL())
	for _, statement := range []string{
		"INSERT INTO unique_texts VALUES ($1)",
		"INSERT INTO unique_texts VALUES ($1)", // the same key: its DETAIL would quote it
		"SELECT $1::text::uuid",                // the message itself quotes it
		"SELECT $1::text::jsonb",
		"SELECT pg_sleep(0.01), $1::text FROM no_such_table_" + strings.ReplaceAll(secret, "-", "_"),
	} {
		_, _ = conn.Exec(t.Context(), statement, secret) // most of these must fail
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(srv.LogFile())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "horse") {
		t.Errorf("the log holds it:\n%s", text)
	}
	if !strings.Contains(string(text), "ready to accept connections") {
		t.Errorf("the log lost the server's own lines:\n%s", text)
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	srv := begin(t, Options{Dir: dir})
	one[int](t, srv.URL(), "SELECT 1")
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(srv.place.socketDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("socket folder left behind: %v", err)
	}
}

func TestRestartedWhenKilled(t *testing.T) {
	t.Parallel()
	srv := begin(t, Options{Dir: t.TempDir()})
	exec1(t, srv.URL(), "CREATE TABLE kept (v int); INSERT INTO kept VALUES (7)")
	url := srv.URL()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		before := srv.PID()
		if err := syscall.Kill(before, sig); err != nil {
			t.Fatal(err)
		}
		wait.Until(t, "another server runs after "+sig.String(), func() bool { return srv.PID() != before })
		if got := one[int](t, url, "SELECT v FROM kept"); got != 7 {
			t.Errorf("got %d", got)
		}
	}
	select {
	case <-srv.Done():
		t.Error("done before Stop")
	default:
	}
}

func TestStopTwice(t *testing.T) {
	t.Parallel()
	srv := begin(t, Options{Dir: t.TempDir()})
	held := connect(t, srv.URL()) // an open connection does not hold Stop up
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := srv.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	<-srv.Done()
	if err := held.Ping(t.Context()); err == nil {
		t.Error("a connection outlived the server")
	}
	if program.Alive(srv.PID()) {
		t.Error("the process outlived Stop")
	}
}

func TestFolderInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, Options{Dir: dir})
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrDirInUse) {
		t.Fatalf("got %v", err)
	}
}

func TestStartCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{Dir: dir}); err == nil {
		t.Fatal("started")
	}
	begin(t, Options{Dir: dir})
}

func TestBrokenConfigurationIsExplained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := begin(t, Options{Dir: dir})
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "data", "global", "pg_control")); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "pg_control") || strings.Contains(err.Error(), "\n\n") {
		t.Fatalf("got %v", err)
	}
}

func TestOtherMajorVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "PostgreSQL 9") {
		t.Fatalf("got %v", err)
	}
}

func TestHalfMadeClusterIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data.new", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	one[int](t, begin(t, Options{Dir: dir}).URL(), "SELECT 1")
}

func TestUnusableBinDir(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), BinDir: t.TempDir()})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "need PostgreSQL") {
		t.Fatalf("got %v", err)
	}
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		version string
		major   int
	}{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": {"15.18", 15},
		"postgres (PostgreSQL) 18.3\n":                           {"18.3", 18},
		"postgres (PostgreSQL) 19beta1\n":                        {"19beta1", 19},
		"bash: postgres: command not found":                      {"", 0},
		"":                                                       {"", 0},
	} {
		version, major, err := parseVersion(in)
		if version != want.version || major != want.major || (err == nil) != (want.major > 0) {
			t.Errorf("%q: %q %d %v", in, version, major, err)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n")
	f.Add("(PostgreSQL) 99999999999999999999")
	f.Fuzz(func(t *testing.T, out string) {
		version, major, err := parseVersion(out)
		if err == nil && !strings.HasPrefix(strings.TrimLeft(version, "0"), strings.TrimLeft(fmt.Sprint(major), "0")) {
			t.Errorf("%q: %q, %d", out, version, major)
		}
	})
}

func FuzzParsePID(f *testing.F) {
	f.Add("1234\n")
	f.Add("-1\n")
	f.Fuzz(func(t *testing.T, line string) {
		if pid := parsePID(line); pid < 0 || pid == 1 {
			t.Errorf("%q would signal %d", line, pid)
		}
	})
}

func TestTrimLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, make([]byte, maxLog), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trimLog(path); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]int64{path: 0, path + ".1": maxLog} {
		if info, err := os.Stat(file); err != nil || info.Size() != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
}
