package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"

	"github.com/mneme-memory/mneme/internal/config"
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
	return mcpserver.Options{
		Dial:    func(ctx context.Context) (mcpserver.Client, error) { return dial(ctx, load) },
		Project: sync.OnceValue(func() string { return defaultProject(load, http) }),
		Session: os.Getenv("CLAUDE_CODE_SESSION_ID"),
		User:    user(load),
		Version: version(),
		Logger:  log,
	}
}

// dial connects to Temporal through the workflows client.
func dial(_ context.Context, load func() (config.Config, error)) (mcpserver.Client, error) {
	if _, err := load(); err != nil {
		return nil, err
	}
	return nil, memory.Down("Temporal", `mneme is not running: start it with "mneme up"`, errors.New("mneme does not answer"))
}

// defaultProject is the setting's, else that of the folder Claude Code was
// started in. An HTTP server belongs to no folder.
func defaultProject(load func() (config.Config, error), http bool) string {
	if cfg, err := load(); err == nil && cfg.Project != "" {
		return cfg.Project
	}
	dir := os.Getenv("CLAUDE_PROJECT_DIR")
	if dir == "" && http {
		return memory.Global
	}
	if dir == "" {
		dir = "."
	}
	return project.Identify(dir)
}

func user(load func() (config.Config, error)) string {
	cfg, err := load()
	if err != nil {
		return "" // told by the first call
	}
	return cfg.User
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "dev"
}
