package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/cli"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/daemon"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// deps are the adapters and servers of the commands.
func deps() cli.Deps {
	return cli.Deps{
		Version: version, Dial: connect, Ledger: ledger, Up: up, Autostart: startDaemon, Project: project.Identify, Servers: servers, Keep: keep,
		Redactor: func(cfg config.Config, dir string) (memory.Redactor, error) {
			return dial.Redactor(cfg.Temporal, homeDir(), dir)
		},
	}
}

// servers asks the servers through their adapters.
func servers(cfg config.Config, d homestate.Daemon) doctor.Servers {
	return doctor.Servers{Inspect: assembly.OpenInspectors(cfg, d), Dimension: assembly.EmbeddingModel(cfg, d)}
}

// connect dials the running mneme for one command.
func connect(ctx context.Context, cfg config.Config) (cli.Client, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current folder: %w", err)
	}
	r, err := dial.Redactor(cfg.Temporal, homeDir(), dir)
	if err != nil {
		return nil, err
	}
	return dial.Open(ctx, cfg, r)
}

// ledger opens the database that mneme uses, for a backup.
func ledger(ctx context.Context, cfg config.Config) (cli.Ledger, error) {
	l, err := assembly.OpenForBackup(ctx, cfg)
	if err != nil { // not a nil ledger in an interface
		return nil, err
	}
	return l, nil
}

// keep puts a text into the spool of the home folder, from which the daemon takes it. It returns
// the text as it is kept, without secrets.
func keep(cfg config.Config, in memory.StoreInput) (memory.StoreInput, error) {
	dir, err := os.Getwd()
	if err != nil {
		return in, fmt.Errorf("find the current folder: %w", err)
	}
	r, err := dial.Redactor(cfg.Temporal, homeDir(), dir)
	if err != nil {
		return in, err
	}
	if in, err = memory.Admit(r, in); err != nil {
		return in, err
	}
	return in, spool.Open(cfg.Home, r).Add(spool.Entry{Key: "cli/" + rand.Text(), Store: &in})
}

// startPatience is how long a command waits for a daemon that is being started: an ordinary
// start takes a second, the first one of all a few.
const startPatience = time.Minute

// startDaemon starts mneme in the background if nobody has, as the hooks do. A start that
// failed a moment ago is not tried again: the connection tells what to do.
func startDaemon(ctx context.Context, cfg config.Config, say func(string)) error {
	attempt, err := autostart.Start(cfg, autostart.OS())
	if err != nil {
		return err
	}
	if attempt.Outcome != autostart.Started && attempt.Outcome != autostart.Starting {
		return nil
	}
	say("starting mneme; its log is " + homestate.LogPath(cfg.Home))
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	return attempt.Wait(ctx)
}

// up runs the daemon until ctx ends.
func up(ctx context.Context, cfg config.Config, opts cli.UpOptions) error {
	// The embedded Temporal server leaves much garbage at start and little
	// afterwards: a lower target keeps the idle daemon small.
	debug.SetGCPercent(50)
	r, err := dial.Redactor(cfg.Temporal, homeDir(), "")
	if err != nil {
		return err
	}
	return daemon.Run(ctx, daemon.Options{
		Config: cfg, Version: version, Redactor: r, Ready: opts.Ready, Getenv: os.Getenv,
		ProjectRedactor: func(dir string) (memory.Redactor, error) { return dial.Redactor(cfg.Temporal, homeDir(), dir) },
		Logger:          slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Progress:        progress(opts.Progress, time.Now),
	})
}

// homeDir returns the user's home folder, or "" if there is none.
func homeDir() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}
