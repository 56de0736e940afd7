package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

var update = flag.Bool("update", false, "write the golden parts of the scripts anew")

// TestMain lets the test binary be the mneme of the scripts, with a fixed
// client and a daemon that is one listener. The rest is real: processes,
// signals, locks, files.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mneme": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		sys := OS()
		sys.Location = time.UTC
		code := Main(ctx, sys, Deps{Version: "1.2.3", Dial: scriptDial, Ledger: scriptLedger, Up: scriptUp, Project: func(string) string { return "here" }, Servers: scriptServers, Redactor: func(config.Config, string) (memory.Redactor, error) { return asIs{}, nil }})
		stop()
		os.Exit(code)
	}})
}

func scriptDial(_ context.Context, cfg config.Config) (Client, error) {
	if os.Getenv("FAKE_ALONE") == "" {
		if _, err := homestate.TemporalAddress(cfg); err != nil {
			return nil, err
		}
	}
	c := fixed()
	if os.Getenv("FAKE_NONE") != "" {
		c.recall = func(memory.Query) (memory.RecallResult, error) { return memory.RecallResult{BelowBar: 4}, nil }
	}
	if os.Getenv("FAKE_OLLAMA_DOWN") != "" {
		c.recall = func(memory.Query) (memory.RecallResult, error) {
			return memory.RecallResult{}, &memory.Error{
				Code: memory.Unavailable, Op: "recall", Part: "Ollama",
				Hint: `start it with "ollama serve", or run "mneme doctor" to see every part`,
				Err:  errors.New("Ollama does not answer at 127.0.0.1:11434"),
			}
		}
	}
	return c, nil
}

// scriptServers are servers that are fine as long as something listens at their address, but
// for a Qdrant that refuses a key.
func scriptServers(cfg config.Config, d homestate.Daemon) doctor.Servers {
	inspect := map[string]func(context.Context) memory.Inspection{}
	where := homestate.Where(cfg, d)
	where[doctor.Worker] = where[homestate.TemporalService]
	for name, at := range where {
		inspect[name] = func(ctx context.Context) memory.Inspection {
			i := memory.Inspection{Version: "9.9", Supported: true}
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.Address)
			if err != nil {
				i.Fail(memory.Down(doctor.Title(name), "", errors.New("no answer")))
				return i
			}
			conn.Close()
			if name == homestate.QdrantService && os.Getenv("FAKE_QDRANT_REFUSES") != "" {
				i.Fail(memory.Refusal("Qdrant", "check MNEME_QDRANT_API_KEY", errors.New("it refuses the key")))
			}
			return i
		}
	}
	return doctor.Servers{Inspect: inspect}
}

// scriptUp is a daemon: it holds the lock, listens, and ends with ctx.
func scriptUp(ctx context.Context, cfg config.Config, opts UpOptions) error {
	if os.Getenv("FAKE_UP_FAILS") != "" {
		fmt.Fprintln(opts.Progress, "fetching PostgreSQL: no route to host")
		return memory.Down("PostgreSQL", "install it with apt-get install postgresql", errors.New("its programs could not be fetched"))
	}
	release, held, err := homestate.Hold(ctx, cfg.Home)
	if err != nil || !held {
		return memory.Errorf(memory.Conflict, "", "mneme is already running (%w)", err)
	}
	defer release()
	if os.Getenv("FAKE_UP_SLOW") != "" { // it never becomes ready
		<-ctx.Done()
		return ctx.Err()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	d := homestate.Daemon{
		PID: os.Getpid(), Version: "1.2.3", StartedAt: time.Now(), UI: "http://127.0.0.1:8233", UIKey: "very-secret", Model: "mneme-static",
		QdrantAPIKey: "very-secret", Services: map[string]homestate.Service{},
	}
	for _, name := range homestate.ServiceNames() {
		d.Services[name] = homestate.Service{Address: l.Addr().String(), Mode: homestate.Embedded, Secured: true}
	}
	if err := homestate.Write(cfg.Home, d); err != nil {
		return err
	}
	opts.Ready(d)
	<-ctx.Done()
	return homestate.Remove(cfg.Home)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("MNEME_HOME", env.WorkDir+"/home")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or every command takes a second more under -race
			env.Defer(func() { stopLeftover(env.WorkDir + "/home") })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "bytes": bytesCmd, "held": held},
	})
}

// stopLeftover ends the daemon of a script that failed before its "down".
func stopLeftover(home string) {
	if pid, err := homestate.Holder(home); err == nil && pid != 0 {
		syscall.Kill(pid, syscall.SIGTERM)
	}
}

// exits runs a command and checks its exit code: exits 2 mneme recall.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		var exit interface{ ExitCode() int }
		if !errors.As(err, &exit) {
			ts.Fatalf("run: %v", err)
		}
		code = exit.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// held waits until a daemon holds the home, or with "!" until none does.
func held(ts *testscript.TestScript, neg bool, _ []string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := until(ctx, func() (bool, error) {
		pid, err := homestate.Holder(ts.Getenv("MNEME_HOME"))
		return (pid == 0) == neg, err
	})
	if err != nil {
		ts.Fatalf("wait for the daemon: %v", err)
	}
}

// bytesCmd writes a file of n times some bytes, quoted as in Go.
func bytesCmd(ts *testscript.TestScript, _ bool, args []string) {
	var n int
	var unit string
	if _, err := fmt.Sscanf(args[1], "%d", &n); err != nil {
		ts.Fatalf("count: %v", err)
	}
	if _, err := fmt.Sscanf(args[2], "%q", &unit); err != nil {
		ts.Fatalf("bytes: %v", err)
	}
	out := make([]byte, 0, n*len(unit))
	for range n {
		out = append(out, unit...)
	}
	if err := os.WriteFile(ts.MkAbs(args[0]), out, 0o600); err != nil {
		ts.Fatalf("write: %v", err)
	}
}
