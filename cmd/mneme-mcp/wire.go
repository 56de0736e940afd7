package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/mcpserver"
	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/memory"
)

// options builds the server's options from the environment. Nothing here
// waits for anything: the handshake must be answered at once.
func options(log *slog.Logger, http bool) mcpserver.Options {
	// Settings are read with the first call that needs them, and a bad one is
	// told as that call's result: the model can pass it on to the user.
	load := sync.OnceValues(func() (config.Config, error) { return config.Load(config.Sources{Env: os.Getenv}) })
	d := newDaemon(load, log)
	go d.start() //nolint:errcheck // a bad setting is told by the first call
	return mcpserver.Options{
		Dial: func(ctx context.Context) (mcpserver.Client, error) {
			if err := d.wait(ctx); err != nil {
				return nil, err
			}
			return connect(ctx, load, log)
		},
		Keep:    func(in memory.StoreInput) (memory.StoreInput, error) { return keep(load, in) },
		Project: sync.OnceValue(func() string { return defaultProject(load, http) }),
		Session: os.Getenv("CLAUDE_CODE_SESSION_ID"),
		User:    user(load),
		Version: programVersion(),
		Logger:  log,
	}
}

// connect connects to Temporal. What is sent passes the redactor first, with
// the rules of the CLAUDE.md files of the user and of the folder.
func connect(ctx context.Context, load func() (config.Config, error), log *slog.Logger) (mcpserver.Client, error) {
	cfg, err := load()
	if err != nil {
		return nil, err
	}
	redactor, err := openRedactor(cfg)
	if err != nil {
		return nil, err
	}
	client, err := dial.Open(ctx, cfg, redactor)
	if err != nil {
		return nil, err // not client: a nil pointer in an interface is not nil
	}
	go deliver(cfg, client, log)
	return client, nil
}

// openRedactor has the rules of the user and of the folder.
func openRedactor(cfg config.Config) (memory.Redactor, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("find the home folder: %w", err)
	}
	return dial.Redactor(cfg.Temporal, home, folder())
}

// folder is the one Claude Code was started in, else the current one.
func folder() string {
	if dir := os.Getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		return dir
	}
	return "."
}

// defaultProject is the setting's, else that of the folder Claude Code was
// started in. An HTTP server belongs to no folder.
func defaultProject(load func() (config.Config, error), http bool) string {
	if cfg, err := load(); err == nil && cfg.Project != "" {
		return cfg.Project
	}
	if http && os.Getenv("CLAUDE_PROJECT_DIR") == "" {
		return memory.Global
	}
	return project.Identify(folder())
}

func user(load func() (config.Config, error)) string {
	cfg, err := load()
	if err != nil {
		return "" // told by the first call
	}
	return cfg.User
}

// version is set by the linker; "go install" of a release writes it into the build instead.
var version = "devel"

// programVersion is what clients are told.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && version == "devel" && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return version
}
