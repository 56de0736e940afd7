package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

func (a *app) up() *cobra.Command {
	var detach bool
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
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		if err := config.EnsureHome(cfg.Home); err != nil {
			return err
		}
		d, alive, err := config.Running(cfg.Home)
		switch {
		case err != nil:
			return err
		case alive:
			return a.printReady(cfg, d, true)
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
	opts := UpOptions{Progress: a.sys.Stderr, Ready: func(d config.Daemon) { printErr = a.printReady(cfg, d, false) }}
	err := a.deps.Up(ctx, cfg, opts)
	if memory.CodeOf(err) == memory.Conflict {
		// Another one took the lock between our look and our start.
		if d, waitErr := waitReady(ctx, cfg, timeout); waitErr == nil {
			return a.printReady(cfg, d, true)
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
func waitReady(ctx context.Context, cfg config.Config, timeout time.Duration) (config.Daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var d config.Daemon
	err := until(ctx, func() (bool, error) {
		var alive bool
		var err error
		d, alive, err = config.Running(cfg.Home)
		return alive, err
	})
	return d, err
}

// printReady shows where everything is and what to do next.
func (a *app) printReady(cfg config.Config, d config.Daemon, already bool) error {
	if a.json {
		return a.printJSON(a.statusOf(cfg, d, true))
	}
	p := a.paint()
	head := "mneme is ready"
	if already {
		head = "mneme is ready (it was running already)"
	}
	if err := a.printf("\n%s\n\n", p.bold(p.green(head))); err != nil {
		return err
	}
	rows := make([][]string, 0, len(config.ServiceNames())+4)
	for _, name := range config.ServiceNames() {
		s := d.Services[name]
		rows = append(rows, []string{"  " + title(name), shownAddress(s.Address), serviceNote(s)})
	}
	rows = append(rows,
		[]string{"  Temporal UI", orText(d.UI, "-")},
		[]string{"  Model", orText(d.Model, "-")},
		[]string{"  Data", cfg.Home},
	)
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	stop := "mneme down"
	if d.PID > 0 && !already && a.sys.StdoutTTY {
		stop = "Ctrl-C, or mneme down"
	}
	return a.printf("\n  Connect Claude Code (once):\n    %s install\n\n  Stop: %s\n\n", quoted(a.sibling("mneme")), stop)
}

func serviceNote(s config.Service) string {
	note := s.Mode
	if s.Version != "" {
		note += ", " + s.Version
	}
	if s.Detail != "" {
		note += fmt.Sprintf(" (%s)", printable(s.Detail))
	}
	return note
}

// title returns a service's name as its makers write it.
func title(service string) string {
	switch service {
	case config.TemporalService:
		return "Temporal"
	case config.PostgresService:
		return "PostgreSQL"
	case config.QdrantService:
		return "Qdrant"
	default:
		return "Ollama"
	}
}
