package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

const (
	checkTimeout = 15 * time.Second
	littleDisk   = 1 << 30 // bytes: below this, warn
	noDisk       = 100 << 20
)

// The statuses of a check.
const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
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
		checks := a.ownChecks(cfg)
		if a.deps.Checks != nil {
			checks = append(checks, a.deps.Checks(cfg)...)
		}
		checks = append(checks, Check{"Claude Code", func(context.Context) (string, error) { return a.checkClaude() }})
		return a.examine(cmd.Context(), checks)
	}
	return cmd
}

func (a *app) examine(ctx context.Context, checks []Check) error {
	code := ExitDone
	results := make([]checkJSON, 0, len(checks))
	for _, c := range checks {
		res, err := runCheck(ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		results = append(results, res)
		switch {
		case res.Status != statusFail:
		case memory.Waits(err):
			code = ExitDown
		case code == ExitDone:
			code = ExitUnexpected
		}
		if !a.json {
			if err := a.printCheck(res); err != nil {
				return err
			}
		}
	}
	if a.json {
		if err := a.printJSON(results); err != nil {
			return err
		}
	}
	if code != ExitDone {
		return quiet(code)
	}
	return nil
}

func runCheck(ctx context.Context, c Check) (checkJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	detail, err := c.Run(ctx)
	res := checkJSON{Name: c.Name, Status: statusOK, Detail: detail}
	if err != nil {
		var warning Warning
		res.Status = statusFail
		if errors.As(err, &warning) {
			res.Status, err = statusWarn, warning.Err
		}
		if res.Hint = memory.HintOf(err); res.Hint == "" && res.Status == statusFail {
			res.Hint = fmt.Sprintf(`see "mneme status" and the log in the data folder; what fails is the check of %s`, c.Name)
		}
		res.Detail = err.Error()
		if detail != "" {
			res.Detail = detail + ": " + res.Detail
		}
	}
	return res, err
}

func (a *app) printCheck(c checkJSON) error {
	p := a.paint()
	word := map[string]string{statusOK: p.green("ok  "), statusWarn: p.yellow("warn"), statusFail: p.red("fail")}[c.Status]
	if err := a.printf("%s  %-14s  %s\n", word, c.Name, printable(c.Detail)); err != nil {
		return err
	}
	if c.Hint == "" {
		return nil
	}
	return a.printf("%s\n", wrap("→ "+c.Hint, a.sys.width(), "                      "))
}

// ownChecks are the ones that need no part.
func (a *app) ownChecks(cfg config.Config) []Check {
	return []Check{
		{"data folder", func(context.Context) (string, error) { return checkHome(cfg.Home) }},
		{"disk space", func(context.Context) (string, error) { return checkDisk(cfg.Home) }},
		{"clock", func(context.Context) (string, error) { return checkClock(a.sys.Now()) }},
		{"daemon", func(context.Context) (string, error) { return checkDaemon(cfg) }},
		{"autostart", func(context.Context) (string, error) { return a.checkAutostart(cfg) }},
		{"hooks", func(ctx context.Context) (string, error) { return checkHooks(ctx, cfg.Home) }},
	}
}

func checkHome(home string) (string, error) {
	info, err := os.Stat(home)
	if errors.Is(err, os.ErrNotExist) {
		return home, Warning{memory.Errorf(memory.NotFound, `"mneme up" creates it`, "does not exist yet")}
	}
	if err != nil {
		return home, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return home, Warning{memory.Errorf(memory.Conflict, "chmod 700 "+quoted(home), "other users may enter it (mode %o)", info.Mode().Perm())}
	}
	return home, nil
}

func checkDisk(home string) (string, error) {
	var fs syscall.Statfs_t
	if _, err := os.Stat(home); errors.Is(err, os.ErrNotExist) {
		home = filepath.Dir(home) // where it will be
	}
	if err := syscall.Statfs(home, &fs); err != nil {
		return "", Warning{fmt.Errorf("ask for the free space of %s: %w", home, err)}
	}
	free := uint64(fs.Bavail) * uint64(fs.Bsize) //nolint:unconvert // the types differ between systems
	detail := fmt.Sprintf("%.1f GB free", float64(free)/1e9)
	const hint = "make room, or move the data folder and set MNEME_HOME"
	switch {
	case free < noDisk:
		return detail, memory.Errorf(memory.Conflict, hint, "almost nothing can be stored")
	case free < littleDisk:
		return detail, Warning{memory.Errorf(memory.Conflict, hint, "little is left")}
	}
	return detail, nil
}

// checkClock finds a clock that was never set: confidence fades by dates.
func checkClock(now time.Time) (string, error) {
	detail := now.Format(time.RFC3339)
	if now.Year() < 2025 {
		return detail, Warning{memory.Errorf(memory.Conflict, "set the clock of this machine", "the clock is in the past")}
	}
	return detail, nil
}

func checkDaemon(cfg config.Config) (string, error) {
	d, alive, err := config.Running(cfg.Home)
	holder, holderErr := config.Holder(cfg.Home)
	switch {
	case err != nil || holderErr != nil:
		return "", errors.Join(err, holderErr)
	case alive:
		return fmt.Sprintf("process %d, version %s", d.PID, d.Version), nil
	case holder != 0:
		return "", memory.Down("mneme", `wait a moment; "mneme down" stops it`, fmt.Errorf("is still starting, or stopping (process %d)", holder))
	case cfg.Temporal.Address != "":
		return "not running here; Temporal is at " + cfg.Temporal.Address, nil
	default:
		return "", memory.Down("mneme", `start it with "mneme up"`, errors.New("is not running"))
	}
}

// checkAutostart tells of starts in the background that failed: nobody was there to see.
func (a *app) checkAutostart(cfg config.Config) (string, error) {
	switch {
	case !cfg.Autostart:
		return "off: " + cfg.Source("autostart"), nil
	case cfg.Temporal.Address != "":
		return "not needed: Temporal is given", nil
	}
	trouble, err := autostart.Look(cfg.Home, a.sys.Now())
	if err != nil {
		return "", err
	}
	if trouble.Failures == 0 {
		return "on: Claude Code's sessions start mneme", nil
	}
	last := tail(config.LogPath(cfg.Home), 0)
	return "", memory.Errorf(memory.Unavailable, `"mneme up" shows what is wrong; the log is `+config.LogPath(cfg.Home),
		"failed %s in a row, last at %s; not again before %s. The log ends:\n%s",
		plural(trouble.Failures, "time", "times"), a.date(trouble.Last), a.date(trouble.Next), last)
}
