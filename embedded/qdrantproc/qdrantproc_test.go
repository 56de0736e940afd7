package qdrantproc

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/internal/testkit/program"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

func begin(t *testing.T, dir string) *Server {
	t.Helper()
	srv, err := Start(t.Context(), Options{Binary: os.Args[0], Dir: dir, APIKey: testKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pid := srv.PID()
		if err := srv.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if program.Alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	})
	return srv
}

func connect(t *testing.T, addr, key string) *pb.Client {
	t.Helper()
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		t.Fatal(err)
	}
	c, err := pb.NewClient(&pb.Config{Host: host, Port: port, APIKey: key, SkipCompatibilityCheck: true, PoolSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func keep(t *testing.T, c *pb.Client, name string) {
	t.Helper()
	err := c.CreateCollection(t.Context(), &pb.CreateCollection{
		CollectionName: name, VectorsConfig: pb.NewVectorsConfig(&pb.VectorParams{Size: 2, Distance: pb.Distance_Cosine}),
	})
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
}

func kept(t *testing.T, c *pb.Client, name string) bool {
	t.Helper()
	ok, err := c.CollectionExists(t.Context(), name)
	if err != nil {
		t.Fatalf("ask for %s: %v", name, err)
	}
	return ok
}

func TestServesAndKeeps(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "qdrant")
	srv := begin(t, dir)
	if srv.Version() == "" {
		t.Error("it has no version")
	}
	keep(t, connect(t, srv.Addr(), testKey), "things")
	_, err := connect(t, srv.Addr(), "another key").ListCollections(t.Context())
	if status.Code(err) != codes.Unauthenticated {
		t.Errorf("with another key: %v", err)
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := srv.Stop(); err != nil {
		t.Errorf("second stop: %v", err)
	}
	select {
	case <-srv.Done():
	default:
		t.Error("it is stopped but not done")
	}
	if !kept(t, connect(t, begin(t, dir).Addr(), testKey), "things") {
		t.Error("the collection is gone")
	}
}

func TestEnvironmentIsOursAlone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("QDRANT__SERVICE__HOST", "0.0.0.0")
	t.Setenv("SOME_SECRET", "of the user's")
	begin(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "environment"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"QDRANT__SERVICE__HOST=127.0.0.1\n", "QDRANT__TELEMETRY_DISABLED=true",
		"QDRANT__STORAGE__STORAGE_PATH=" + dir, "QDRANT__SERVICE__API_KEY=" + testKey,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in its environment", want)
		}
	}
	if strings.Contains(string(text), "SECRET") {
		t.Error("it was told what is none of its business")
	}
	for _, sub := range []string{"", "storage", "snapshots"} {
		if info, err := os.Stat(filepath.Join(dir, sub)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("folder %q: %v, %v", sub, info.Mode(), err)
		}
	}
	if info, err := os.Stat(logFile(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v", err)
	}
}

func TestRestartedWhenKilled(t *testing.T) {
	t.Parallel()
	srv := begin(t, t.TempDir())
	c := connect(t, srv.Addr(), testKey)
	keep(t, c, "things")
	first := srv.PID()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "another process serves", func() bool { return srv.PID() != first })
	if !kept(t, connect(t, srv.Addr(), testKey), "things") {
		t.Error("the collection is gone")
	}
}

// TestParentKilled starts anew at once: the old server must neither live on nor be in the way.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, pid, addr := program.Again(t, parentEnv+"="+dir)
	keep(t, connect(t, addr, testKey), "things")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	srv := begin(t, dir)
	if program.Alive(pid) {
		t.Errorf("the killed parent's server %d lives on", pid)
	}
	if !kept(t, connect(t, srv.Addr(), testKey), "things") {
		t.Error("the collection is gone")
	}
}

func inMode(t *testing.T, mode string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, modeFile), []byte(mode), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDies(t *testing.T) {
	t.Parallel()
	dir := inMode(t, dies)
	_, err := Start(t.Context(), Options{Binary: os.Args[0], Dir: dir, APIKey: testKey})
	if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "made of cheese") {
		t.Fatalf("got %v", err)
	}
	if err := os.Remove(filepath.Join(dir, modeFile)); err != nil {
		t.Fatal(err)
	}
	begin(t, dir) // nothing holds the folder
}

// TestDiesOnce has a first try fail, as when a port is taken.
func TestDiesOnce(t *testing.T) {
	t.Parallel()
	begin(t, inMode(t, diesOnce))
}

func TestNeverAnswers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, Options{Binary: os.Args[0], Dir: inMode(t, deaf), APIKey: testKey})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
}

func TestFolderInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, Options{Binary: os.Args[0], Dir: dir, APIKey: testKey}); !errors.Is(err, ErrDirInUse) {
		t.Fatalf("got %v", err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, opts := range map[string]Options{
		"no binary": {Dir: dir, APIKey: testKey},
		"no folder": {Binary: os.Args[0], APIKey: testKey},
		"no key":    {Binary: os.Args[0], Dir: dir},
		"no such":   {Binary: filepath.Join(dir, "qdrant"), Dir: dir, APIKey: testKey},
	} {
		if _, err := Start(t.Context(), opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if got := Find(); got != "" {
		t.Errorf("found %s", got)
	}
	path := filepath.Join(dir, "qdrant")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if got := Find(); got != path {
		t.Errorf("found %q, want %s", got, path)
	}
}
