package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hook"
	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/memory"
)

// knock is how long Temporal may take to accept a connection. On this machine
// it accepts or refuses at once.
const knock = 250 * time.Millisecond

// options builds the hook's options from the environment.
func options(signals <-chan os.Signal) hook.Options {
	load := sync.OnceValues(func() (config.Config, error) { return config.Load(config.Sources{Env: os.Getenv}) })
	return hook.Options{
		Args: os.Args[1:], Env: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Signals: signals, Config: load,
		Redactor: func(home, dir string) (memory.Redactor, error) {
			cfg, _ := load() // a bad setting is told elsewhere, and what is spooled passes the redactor all the same
			return dial.Redactor(cfg.Temporal, home, dir)
		},
		PrivacyWarnings: dial.PrivacyWarnings, Dial: connect, Project: project.Identify,
		Autostart: func(_ context.Context, cfg config.Config) error {
			_, err := autostart.Start(cfg, autostart.OS())
			return err
		},
		Before: before(os.Getenv("MNEME_HOOK_TEST")),
	}
}

// connect dials mneme. The SDK would try for seconds to reach what does not
// run, so the door is tried first.
func connect(ctx context.Context, cfg config.Config, r memory.Redactor) (hook.Client, error) {
	address, err := homestate.TemporalAddress(cfg)
	if err != nil {
		return nil, err
	}
	knocking := net.Dialer{Timeout: knock}
	conn, err := knocking.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, memory.Down("Temporal", "", fmt.Errorf("no answer from Temporal: %w", err))
	}
	_ = conn.Close() // it was only to see whether somebody is there
	client, err := dial.Open(ctx, cfg, r)
	if err != nil {
		return nil, err // not client: a nil pointer in an interface is not nil
	}
	return client, nil
}

// before returns what tests ask for through the environment: that handling the
// event panics, here or where nobody can recover, or never ends.
func before(what string) func(string) {
	switch what {
	case "panic":
		return func(event string) { panic("on request, at " + event) }
	case "crash":
		return func(event string) {
			go panic("on request, at " + event)
			select {}
		}
	case "hang":
		return func(string) { select {} }
	default:
		return nil
	}
}
