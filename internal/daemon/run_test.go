package daemon_test

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/daemon"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// TestMain lets the test binary be the qdrant program that a daemon finds. Such a program
// gets Qdrant's variables and nothing else.
func TestMain(m *testing.M) {
	if testkit.IsQdrant() {
		awaitRelease(os.Getenv(qdrantAwaits))
		os.Exit(testkit.Qdrant())
	}
	os.Exit(m.Run())
}

// qdrantAwaits is the variable that names a file which the qdrant program waits for before it
// serves. While it waits there is a file of that name with qdrantWaits at its end.
const (
	qdrantAwaits = "MNEME_TEST_QDRANT_AWAITS"
	qdrantWaits  = ".waits"
)

func awaitRelease(file string) {
	if file == "" {
		return
	}
	if err := os.WriteFile(file+qdrantWaits, nil, 0o600); err != nil {
		panic(err) // the program ends, and the daemon says that it did
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
}

// settings are those of a home that takes nothing from this machine but PostgreSQL, unless
// env says otherwise.
func settings(t *testing.T, home string, env map[string]string) config.Config {
	t.Helper()
	all := map[string]string{
		"MNEME_HOME": home, "MNEME_UI_PORT": "0", "MNEME_QDRANT_BINARY": config.None,
		"MNEME_EMBED_MODEL": "mneme-static", // whatever Ollama this machine may run
	}
	for name, value := range env {
		all[name] = value
	}
	cfg, err := config.Load(config.Sources{Env: func(name string) string { return all[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// running is a daemon in this process.
type running struct {
	config config.Config
	client *workflows.Client
	state  homestate.Daemon
	stop   func() // may be called twice
}

// run starts a daemon and waits until it is ready; the test's end stops it.
func run(t *testing.T, home string, env map[string]string, change ...func(*daemon.Options)) *running {
	t.Helper()
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{config: settings(t, home, env)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // the test's own ends before its cleanups
	ready, done := make(chan struct{}), make(chan error, 1)
	opts := daemon.Options{
		Config: r.config, Version: "test", Redactor: redactor,
		Ready:  func(d homestate.Daemon) { r.state = d; close(ready) },
		Logger: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&opts)
	}
	go func() { done <- daemon.Run(ctx, opts) }()
	select {
	case <-ready:
	case err := <-done:
		cancel()
		t.Fatalf("the daemon ended: %v", err)
	}
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		if r.client != nil {
			r.client.Close()
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended: %v", err)
		}
	}
	t.Cleanup(r.stop)
	if r.client, err = dial.Open(t.Context(), opts.Config, redactor); err != nil {
		t.Fatalf("dial: %v", err)
	}
	return r
}

// inspect asks a server how it is, as "mneme status" does.
func (r *running) inspect(t *testing.T, service string) memory.Inspection {
	t.Helper()
	inspect := assembly.OpenInspectors(r.config, r.state)[service]
	if inspect == nil {
		t.Fatalf("nobody knows where %s is", service)
	}
	return inspect(t.Context())
}
