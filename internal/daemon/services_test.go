package daemon_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	embeddedpostgres "github.com/mneme-memory/mneme/embedded/postgres"
	embeddedqdrant "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/daemon"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/internal/uilink"
	"github.com/mneme-memory/mneme/memory"
)

const fact = "The API listens on port 8443 behind the proxy"

// TestEmptyHome asks before anything was stored: the answer is nothing, not an error.
func TestEmptyHome(t *testing.T) {
	t.Parallel()
	r := run(t, t.TempDir(), nil)
	result, err := r.client.Recall(t.Context(), memory.Query{Text: "which port", Project: "a"})
	if err != nil || len(result.Hits) != 0 || result.Degraded != "" {
		t.Errorf("%+v, %v", result, err)
	}
	report, err := r.client.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	if err != nil || !report.Equal {
		t.Fatalf("rebuild: %+v, %v", report, err)
	}
	for _, c := range report.Collections {
		if c.Ledger+c.Index+c.Written+c.Deleted != 0 || !c.Equal {
			t.Errorf("of an empty home: %+v", c)
		}
	}
}

// TestQdrantProgram runs a program from the settings, and then goes back to the embedded
// server, which has another folder: the index is written anew from the ledger.
func TestQdrantProgram(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	r := run(t, home, map[string]string{"MNEME_QDRANT_BINARY": os.Args[0]})
	service := r.state.Services[homestate.QdrantService]
	if service.Mode != homestate.Found || service.Address == "" || service.Note != "" {
		t.Errorf("service %+v", service)
	}
	id := store(t, r.client, fact, "a").ID
	if hits := recall(t, r.client, "which port does the API use", "a"); len(hits) != 1 {
		t.Errorf("hits %+v", hits)
	}
	r.stop()
	if conn, err := net.Dial("tcp", service.Address); err == nil {
		conn.Close()
		t.Error("the program outlived the daemon")
	}
	if info, err := os.Stat(filepath.Join(home, "qdrant-server", "storage")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("data folder: %v", err)
	}

	r = run(t, home, nil)
	if mode := r.state.Services[homestate.QdrantService].Mode; mode != homestate.Embedded {
		t.Errorf("mode %s", mode)
	}
	found := func() bool {
		all := 0.0
		r, err := r.client.Recall(t.Context(), memory.Query{Text: "which port does the API use", Project: "a", MinScore: &all})
		return err == nil && len(r.Hits) == 1 && r.Hits[0].ID == id // an error while a collection is made anew
	}
	wait.Until(t, "the memory is found again", found)
	wait.Until(t, "all collections are made anew", func() bool {
		name, err := os.ReadFile(filepath.Join(home, "index"))
		return err == nil && string(name) == homestate.Embedded
	})

	// What is forgotten now, the program's folder still holds. It must not come back.
	if _, err := r.client.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: []string{id}}}); err != nil {
		t.Fatal(err)
	}
	other := store(t, r.client, "The proxy is restarted on Mondays", "a").ID
	r.stop()
	r = run(t, home, map[string]string{"MNEME_QDRANT_BINARY": os.Args[0]})
	wait.Until(t, "the index is that of the ledger", func() bool {
		all := 0.0
		r, err := r.client.Recall(t.Context(), memory.Query{Text: "proxy", Project: "a", MinScore: &all})
		return err == nil && len(r.Hits) == 1 && r.Hits[0].ID == other
	})
}

// TestIndexLost takes the index away while nothing runs.
func TestIndexLost(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	r := run(t, home, nil)
	id := store(t, r.client, fact, "a").ID
	r.stop()
	if err := os.RemoveAll(filepath.Join(home, "qdrant")); err != nil {
		t.Fatal(err)
	}
	r = run(t, home, nil)
	wait.Until(t, "the memory is found again", func() bool {
		all := 0.0
		r, err := r.client.Recall(t.Context(), memory.Query{Text: "which port", Project: "a", MinScore: &all})
		return err == nil && len(r.Hits) == 1 && r.Hits[0].ID == id
	})
}

// TestGivenIndexReturnsEmpty has a Qdrant of the user's go away and come back with nothing, as
// a container without a volume does: all is found again, and stores go on.
func TestGivenIndexReturnsEmpty(t *testing.T) {
	t.Parallel()
	serve := func(addr string) *embeddedqdrant.Server {
		s, err := embeddedqdrant.Start(t.Context(), embeddedqdrant.Options{Dir: t.TempDir(), Addr: addr})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Stop() })
		return s
	}
	first := serve("")
	r := run(t, t.TempDir(), map[string]string{"MNEME_QDRANT_ADDRESS": first.Addr()})
	id := store(t, r.client, fact, "a").ID
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	serve(first.Addr())
	wait.Until(t, "the memory is found again", func() bool {
		all := 0.0
		r, err := r.client.Recall(t.Context(), memory.Query{Text: "which port", Project: "a", MinScore: &all})
		return err == nil && len(r.Hits) == 1 && r.Hits[0].ID == id && r.Degraded == ""
	})
	if got := store(t, r.client, "The proxy is restarted on Mondays", "a"); got.Status != memory.Stored {
		t.Errorf("a store into it: %+v", got)
	}
}

// TestQdrantOnPath finds a program that works, and one that does not.
func TestQdrantOnPath(t *testing.T) {
	bin := t.TempDir()
	link := filepath.Join(bin, "qdrant")
	if err := os.Symlink(os.Args[0], link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	home := t.TempDir()
	r := run(t, home, map[string]string{"MNEME_QDRANT_BINARY": ""})
	if s := r.state.Services[homestate.QdrantService]; s.Mode != homestate.Found {
		t.Errorf("a good one: %+v", s)
	}
	r.stop()

	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(link, []byte("#!/bin/sh\necho no; exit 1\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	r = run(t, home, map[string]string{"MNEME_QDRANT_BINARY": ""})
	if s := r.state.Services[homestate.QdrantService]; s.Mode != homestate.Embedded || !strings.Contains(s.Note, link) {
		t.Errorf("a bad one: %+v", s)
	}
	r.stop()
	// The same one, asked for: an error that says so.
	err := runOnce(t, settings(t, home, map[string]string{"MNEME_QDRANT_BINARY": link}))
	if memory.CodeOf(err) != memory.Unavailable || !strings.Contains(err.Error(), "no") || !strings.Contains(memory.HintOf(err), "MNEME_QDRANT_BINARY") {
		t.Errorf("asked for: %v (%s)", err, memory.HintOf(err))
	}
}

// runOnce runs a daemon that is expected to fail while it starts.
func runOnce(t *testing.T, cfg config.Config) error {
	t.Helper()
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return daemon.Run(ctx, daemon.Options{
		Config: cfg, Version: "test", Redactor: redactor, Logger: slog.New(slog.DiscardHandler),
		Ready: func(homestate.Daemon) { t.Error("it is ready"); cancel() },
	})
}

func TestUIPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	r := run(t, home, map[string]string{"MNEME_UI_PORT": port})
	onDisk, err := homestate.Read(home)
	if err != nil || onDisk.UI != r.state.UI || strings.HasSuffix(onDisk.UI, ":"+port) {
		t.Errorf("told %q, on disk %q, %v", r.state.UI, onDisk.UI, err)
	}
	link, err := uilink.Link(onDisk.UI, uilink.Key(onDisk.UIKey), time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	const api = "/api/v1/namespaces/default"
	browser := &http.Client{Jar: jar}
	for _, c := range []struct {
		url  string
		want int
	}{
		{onDisk.UI, http.StatusUnauthorized},
		{onDisk.UI + api, http.StatusUnauthorized},
		{link, http.StatusOK},
		{onDisk.UI, http.StatusOK},
		{onDisk.UI + api, http.StatusOK},
	} {
		resp, err := browser.Get(c.url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.url, resp.StatusCode, c.want)
		}
	}
}

func TestNoPostgres(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	err := runOnce(t, settings(t, home, map[string]string{"MNEME_POSTGRES_BIN": t.TempDir()}))
	if memory.CodeOf(err) != memory.Unavailable || !errors.Is(err, embeddedpostgres.ErrNotFound) || memory.HintOf(err) != embeddedpostgres.InstallHint {
		t.Errorf("got %v (%s)", err, memory.HintOf(err))
	}
	if pid, err := homestate.Holder(home); err != nil || pid != 0 {
		t.Errorf("the home is still held by %d, %v", pid, err)
	}
}

// TestPostgresFetched downloads about 15 MB, so it asks to be asked.
func TestPostgresFetched(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_TEST_FETCH") == "" {
		t.Skip("downloads PostgreSQL; set MNEME_TEST_FETCH=1 to run it")
	}
	var seen atomic.Int32
	r := run(t, t.TempDir(), map[string]string{"MNEME_POSTGRES_BIN": config.Fetched}, func(o *daemon.Options) {
		o.Progress = func(int64, int64, string) { seen.Add(1) }
	})
	s := r.inspect(t, homestate.PostgresService)
	if !strings.HasPrefix(s.Version, "18.") || !s.Supported {
		t.Errorf("version %s: not the fetched one", s.Version)
	}
	stored(t, r.client, fact, "a")
	t.Logf("PostgreSQL %s, %d steps of progress", s.Version, seen.Load())
}

// TestStopWhileStarting ends a daemon at several moments of its start; each time nothing is
// left, and the next start finds the home free.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cfg := settings(t, home, nil)
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, 20, 80, 200} {
		ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
		err := daemon.Run(ctx, daemon.Options{
			Config: cfg, Version: "test", Redactor: redactor, Logger: slog.New(slog.DiscardHandler),
		})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d ms: %v", after, err)
		}
		if pid, err := homestate.Holder(home); err != nil || pid != 0 {
			t.Errorf("after %d ms: held by %d, %v", after, pid, err)
		}
	}
	r := run(t, home, nil)
	stored(t, r.client, fact, "a")
}
