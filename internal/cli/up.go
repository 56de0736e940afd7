package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

func (a *app) up() *cobra.Command {
	var detach, useOllama bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start everything",
		Long: "Start the worker and a local server for every part whose address was not given, and\n" +
			"stay in the foreground until Ctrl-C; with --detach, go to the background when ready.\nHarmless when it runs already.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&detach, "detach", false, "go to the background when ready")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "how long --detach waits until it is ready")
	cmd.Flags().BoolVar(&useOllama, "use-ollama", false, "agree to the Ollama that runs here, whoever's it is; remembered")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		if err := config.EnsureHome(cfg.Home); err != nil {
			return err
		}
		d, alive, err := homestate.Running(cfg.Home)
		if err == nil && !alive && useOllama {
			err = config.WriteOllamaAgreement(cfg.Home, config.OllamaAgreement{User: config.UnknownUser})
		}
		switch {
		case err != nil:
			return err
		case alive && useOllama:
			return memory.Errorf(memory.Conflict, `"mneme down", then again`, "mneme runs already, and takes another Ollama at a start only")
		case alive:
			return a.printReady(cmd.Context(), cfg, d, alreadyRunning)
		case detach:
			return a.detach(cmd.Context(), cfg, timeout)
		default:
			return a.foreground(cmd.Context(), cfg, timeout)
		}
	}
	return cmd
}

func (a *app) foreground(ctx context.Context, cfg config.Config, timeout time.Duration) error {
	var printErr error
	opts := UpOptions{Progress: a.sys.Stderr, Ready: func(d homestate.Daemon) { printErr = a.printReady(ctx, cfg, d, inForeground) }}
	err := a.deps.Up(ctx, cfg, opts)
	if memory.CodeOf(err) == memory.Conflict {
		// Another one took the lock between our look and our start.
		if d, waitErr := waitReady(ctx, cfg, timeout); waitErr == nil {
			return a.printReady(ctx, cfg, d, alreadyRunning)
		}
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil && err == nil {
		return nil // asked to stop, and stopped
	}
	if err != nil {
		return err
	}
	return printErr
}

// waitReady waits until a daemon of this home is ready.
func waitReady(ctx context.Context, cfg config.Config, timeout time.Duration) (homestate.Daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var d homestate.Daemon
	err := until(ctx, func() (bool, error) {
		var alive bool
		var err error
		d, alive, err = homestate.Running(cfg.Home)
		return alive, err
	})
	return d, err
}

// otherPort says that the port of the web interface was taken by another program.
func otherPort(cfg config.Config, d homestate.Daemon, how howStarted) string {
	u, err := url.Parse(d.UI)
	if err != nil || how == alreadyRunning || cfg.UI.Port == 0 || u.Port() == "" || u.Port() == strconv.Itoa(cfg.UI.Port) {
		return ""
	}
	return fmt.Sprintf("; port %d was taken by another program, MNEME_UI_PORT sets another one", cfg.UI.Port)
}

// howStarted says who started the daemon that is ready.
type howStarted int

const (
	alreadyRunning howStarted = iota
	inForeground              // this process is the daemon
	inBackground              // this process started it
)

// printReady shows where everything is and what to do next. Detached, the exit code tells
// whether all of it works.
func (a *app) printReady(ctx context.Context, cfg config.Config, d homestate.Daemon, how howStarted) error {
	st := a.look(ctx, cfg, d, readyTimeout)
	if a.json {
		st.Stats = nil
		if st.exit() == ExitDone {
			return a.printJSON(st.statusJSON)
		}
		return errors.Join(a.printJSON(st.statusJSON), quiet(ExitPartly))
	}
	p := a.paint()
	head, rest := p.bold(p.green("mneme is ready")), ""
	if how == alreadyRunning {
		rest = " (it was running already)"
	}
	if names := st.troubled(); len(names) > 0 {
		titles := make([]string, len(names))
		for i, name := range names {
			titles[i] = doctor.Title(name)
		}
		rest = ", but not all of it works: see " + strings.Join(titles, ", ") + rest
	}
	if err := a.printf("\n%s%s\n\n", head, p.bold(rest)); err != nil {
		return err
	}
	if err := a.printServers(st); err != nil {
		return err
	}
	err := table(a.sys.Stdout, [][]string{
		{"\n  Temporal UI", uiText(d.UI) + otherPort(cfg, d, how)},
		{"  Model", orText(d.Model, "-")},
		{"  Data", cfg.Home},
	})
	if err != nil {
		return err
	}
	stop := "mneme down"
	if how == inForeground && a.sys.StdoutTTY {
		stop = "Ctrl-C, or mneme down"
	}
	err = a.printf("\n  Connect Claude Code (once):\n    %s install\n\n  Stop: %s\n\n", quoted(a.sibling("mneme")), stop)
	if err == nil && st.exit() != ExitDone {
		return quiet(ExitPartly)
	}
	return err
}
