package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

func (a *app) doctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check every part and say what to do",
		Long:  "Check every part and say what to do. Exit code 4 if a part is down or refuses, 1 if something\nelse is broken.",
		Args:  cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		// What is wrong with the state file, the check of the daemon tells.
		d, alive, err := homestate.Running(cfg.Home)
		if err != nil || !alive {
			d = homestate.Daemon{}
		}
		return a.examine(cmd.Context(), a.examination(cfg, d).Checks())
	}
	return cmd
}

// examination gathers the inputs of the checks; d is zero if no daemon runs.
func (a *app) examination(cfg config.Config, d homestate.Daemon) doctor.Options {
	o := doctor.Options{
		Config: cfg, Daemon: d, Now: a.sys.Now, Env: a.sys.Env, Dir: a.sys.Dir, Date: a.date,
		Dial:    func(ctx context.Context) (doctor.Client, error) { return a.deps.Dial(ctx, cfg) },
		LogTail: func() string { return tail(homestate.LogPath(cfg.Home), 0) },
		MCP:     quoted(a.sibling("mneme-mcp")),
	}
	if a.deps.Servers != nil {
		o.Servers = a.deps.Servers(cfg, d)
	}
	return o
}

func (a *app) examine(ctx context.Context, checks []doctor.Check) error {
	tell := a.printCheck
	if a.json {
		tell = nil
	}
	results, err := doctor.Run(ctx, checks, tell)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(results)
	} else {
		err = a.printSkipped(results)
	}
	if err != nil {
		return err
	}
	code := ExitDone
	for _, r := range results {
		switch {
		case r.Status != doctor.Fail:
		case memory.Waits(r.Err):
			code = ExitDown
		case code == ExitDone:
			code = ExitUnexpected
		}
	}
	if code != ExitDone {
		return quiet(code)
	}
	return nil
}

// printCheck prints a line for a check, and one for what to do. What was not asked is printed
// at the end: see printSkipped.
func (a *app) printCheck(r doctor.Result) error {
	if r.Status == doctor.Skip {
		return nil
	}
	p := a.paint()
	word := map[string]string{doctor.OK: p.green("ok  "), doctor.Warn: p.yellow("warn"), doctor.Fail: p.red("fail")}[r.Status]
	if err := a.printf("%s  %-14s  %s\n", word, r.Name, printable(r.Detail)); err != nil {
		return err
	}
	if r.Hint == "" {
		return nil
	}
	return a.printf("%s\n", wrap("→ "+r.Hint, a.sys.width(), "                      "))
}

// printSkipped prints one line for all checks that were not made for the same reason, so that
// one failure is not hidden among those that follow from it.
func (a *app) printSkipped(results []doctor.Result) error {
	var reasons []string
	names := map[string][]string{}
	for _, r := range results {
		if r.Status != doctor.Skip {
			continue
		}
		if names[r.Detail] == nil {
			reasons = append(reasons, r.Detail)
		}
		names[r.Detail] = append(names[r.Detail], r.Name)
	}
	for _, reason := range reasons {
		const indent = "                      "
		text := wrap(printable(strings.Join(names[reason], ", ")+": "+reason), a.sys.width(), indent)
		if err := a.printf("skip  %s\n", strings.TrimPrefix(text, indent)); err != nil {
			return err
		}
	}
	return nil
}
