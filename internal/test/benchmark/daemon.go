package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/workflows"
)

// startTimeout bounds a start. The first one may have to fetch PostgreSQL.
const startTimeout = 5 * time.Minute

// A daemon is a running "mneme up".
type daemon struct {
	home  string
	state homestate.Daemon
	cmd   *exec.Cmd
	ended chan error // what waiting for the process said
	gone  bool
}

// start runs "mneme up" on a home of this name and waits until it is ready.
func (e *Env) start(ctx context.Context, name string) (*daemon, error) {
	d := &daemon{home: filepath.Join(e.Dir, name), ended: make(chan error, 1)}
	var said bytes.Buffer
	// Not bound to ctx: it is to end by a signal that lets it clean up.
	d.cmd = e.command(context.WithoutCancel(ctx), d.home, "up")
	d.cmd.Stderr = &said
	// In a group of its own, so that an interrupt at the terminal reaches this
	// process alone, which then stops the other in order.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start mneme: %w", err)
	}
	e.daemons = append(e.daemons, d)
	go func() { d.ended <- d.cmd.Wait() }()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(startTimeout)
	for {
		// The state of one that was killed is still there: another process wrote it.
		if state, err := homestate.Read(d.home); err == nil && state.PID == d.cmd.Process.Pid {
			d.state = state
			return d, nil
		}
		select {
		case err := <-d.ended:
			d.gone = true
			return nil, fmt.Errorf("mneme up ended: %w\n%s", err, said.String())
		case <-timeout:
			return nil, fmt.Errorf("mneme up is not ready after %s", startTimeout)
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// stop asks the daemon to end and waits for it. It may be called again.
func (d *daemon) stop() error { return d.end(syscall.SIGTERM) }

// kill ends the daemon without letting it clean up.
func (d *daemon) kill() error { return d.end(syscall.SIGKILL) }

func (d *daemon) end(signal syscall.Signal) error {
	if d.gone {
		return nil
	}
	d.gone = true
	if err := d.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop mneme: %w", err)
	}
	if err := <-d.ended; err != nil && signal != syscall.SIGKILL {
		return fmt.Errorf("stop mneme: %w", err)
	}
	return nil
}

// temporal connects to the daemon's Temporal server.
func (d *daemon) temporal(ctx context.Context) (client.Client, error) {
	cfg, err := d.settings()
	if err != nil {
		return nil, err
	}
	server, err := homestate.TemporalServer(cfg)
	if err != nil {
		return nil, err
	}
	return temporal.Dial(ctx, server, nil)
}

// client is the product's own way to the daemon.
func (d *daemon) client(c client.Client) (*workflows.Client, error) {
	redactor, err := dial.Redactor(config.Temporal{}, "", "")
	if err != nil {
		return nil, err
	}
	return workflows.NewClient(c, redactor, d.state.Ledger), nil
}

func (d *daemon) embedder() (*ollama.Embedder, error) {
	at := d.state.Services[homestate.OllamaService]
	return assembly.OpenEmbedder(d.home, at, at.Address, d.state.Model, 0)
}

func (d *daemon) index() (*qdrant.Index, error) {
	at := d.state.Services[homestate.QdrantService]
	cfg := config.Qdrant{Address: at.Address, APIKey: d.state.QdrantAPIKey}
	if at.Secured {
		cfg.TLS = config.HomeTLS(d.home)
	}
	return assembly.OpenIndex(cfg, known(d.state.Ledger), false, nil)
}

// settings are those of a door to the daemon.
func (d *daemon) settings() (config.Config, error) {
	return config.Load(config.Sources{Env: func(name string) string { return map[string]string{"MNEME_HOME": d.home}[name] }})
}

// known is the daemon's ledger, as the index needs to know it.
type known string

func (k known) Identity(context.Context) (string, error)             { return string(k), nil }
func (known) Wrote(context.Context, map[string]string) (bool, error) { return false, nil }
