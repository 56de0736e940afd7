package qdrantproc

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/mneme-memory/mneme/internal/testkit"
)

// The tests run their own binary again, as the qdrant program and as a parent that is
// killed. The program takes its settings from the variables that Qdrant reads, and nothing
// else; a file in its folder says how it behaves, because it gets no other variable.
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
	case testkit.IsQdrant():
		os.Exit(stub())
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

// stub is Qdrant, in one of the modes.
func stub() int {
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
	if string(mode) == deaf {
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGTERM)
		<-told
		return 0
	}
	return testkit.Qdrant()
}
