package qdrantproc

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mneme-memory/mneme/embedded/qdrant"
)

// The tests run their own binary again, as the qdrant program and as a parent that is
// killed. The program takes its settings from the variables that Qdrant reads, and nothing
// else; what it does is a file in its folder, because it gets no other variable.
const (
	parentEnv = "MNEME_TEST_QDRANT_PARENT" // the folder to serve
	modeFile  = "mode"

	dies     = "dies"     // says why, and ends
	diesOnce = "diesonce" // the same, but only the first time
	deaf     = "deaf"     // lives, and never listens
)

const testKey = "a key"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(parentEnv) != "":
		os.Exit(parent(os.Getenv(parentEnv)))
	case os.Getenv("QDRANT__SERVICE__GRPC_PORT") != "":
		os.Exit(program())
	}
	os.Exit(m.Run())
}

// parent serves dir, says so, and waits to be killed.
func parent(dir string) int {
	srv, err := Start(context.Background(), Options{Binary: os.Args[0], Dir: dir, APIKey: testKey})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(srv.PID(), srv.Addr())
	select {}
}

// program behaves as Qdrant does towards whoever started it: it serves where it is told,
// with the key it is told, and ends on SIGTERM.
func program() int {
	mode, err := os.ReadFile(modeFile)
	if err != nil && !os.IsNotExist(err) {
		return 3
	}
	switch string(mode) {
	case diesOnce:
		if err := os.Remove(modeFile); err != nil {
			return 3
		}
		fallthrough
	case dies:
		fmt.Fprintln(os.Stderr, "Panic: the storage is made of cheese")
		return 101
	}
	if err := os.WriteFile("environment", []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
		return 3
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if string(mode) == deaf {
		<-ctx.Done()
		return 0
	}
	srv, err := qdrant.Start(ctx, qdrant.Options{
		Dir:    filepath.Join(os.Getenv("QDRANT__STORAGE__STORAGE_PATH"), "collections"),
		Addr:   net.JoinHostPort(os.Getenv("QDRANT__SERVICE__HOST"), os.Getenv("QDRANT__SERVICE__GRPC_PORT")),
		APIKey: os.Getenv("QDRANT__SERVICE__API_KEY"),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	<-ctx.Done()
	if err := srv.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
