package autostart

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
)

// The test binary is also the mneme that is started (by its name) and the
// programs that start it (by a variable).
const (
	callerEnv = "MNEME_TEST_AUTOSTART_CALLER"
	failEnv   = "MNEME_TEST_AUTOSTART_FAIL" // the started mneme does not come up
)

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == "mneme":
		os.Exit(daemon())
	case os.Getenv(callerEnv) != "":
		os.Exit(caller())
	}
	os.Exit(m.Run())
}

// daemon does what "mneme up" does to the home folder.
func daemon() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	home := os.Getenv("MNEME_HOME")
	if err := note(home, "spawned", strconv.Itoa(os.Getpid())); err != nil {
		return 3
	}
	if os.Getenv(failEnv) != "" {
		fmt.Fprintln(os.Stderr, "mneme: error: the moon is full")
		return 1
	}
	release, held, err := homestate.Hold(ctx, home)
	if err != nil || !held {
		return 4
	}
	if err := homestate.Write(home, homestate.Daemon{PID: os.Getpid(), StartedAt: time.Now()}); err != nil {
		return 5
	}
	if err := Clear(home); err != nil {
		return 6
	}
	<-ctx.Done()
	if err := homestate.Remove(home); err != nil {
		return 7
	}
	if err := release(); err != nil {
		return 8
	}
	return 0
}

// note appends a line to a file: O_APPEND keeps the lines of many processes apart.
func note(home, file, line string) error {
	f, err := os.OpenFile(filepath.Join(home, file), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

// caller starts the daemon when its input ends, and waits for it.
func caller() int {
	cfg, err := config.Load(config.Sources{Env: os.Getenv})
	if err != nil {
		return 2
	}
	if _, err := os.Stdin.Read(make([]byte, 1)); err == nil {
		return 3
	}
	sys := OS()
	sys.Executable = func() (string, error) { return os.Getenv(callerEnv), nil }
	a, err := Start(cfg, sys)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	fmt.Println(a.Outcome)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := a.Wait(ctx); err != nil {
		fmt.Fprintln(os.Stderr, a.Outcome, err)
		return 5
	}
	return 0
}
