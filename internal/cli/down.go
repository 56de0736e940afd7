package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

func (a *app) down() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop everything",
		Long:  "Stop the running mneme cleanly and wait until it is gone, also one that is still\nstarting. Fine when it does not run.",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long to wait until it is gone")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		pid, err := homestate.Holder(cfg.Home)
		if err != nil {
			return err
		}
		if pid == 0 {
			if err := homestate.Remove(cfg.Home); err != nil { // stale, if any
				return err
			}
			return a.printDown(downJSON{})
		}
		if err := a.stop(cmd.Context(), cfg.Home, pid, timeout); err != nil {
			return err
		}
		return a.printDown(downJSON{Stopped: true, PID: pid})
	}
	return cmd
}

// stop asks the daemon to end and waits until it has let its lock go.
func (a *app) stop(ctx context.Context, home string, pid int, timeout time.Duration) error {
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return memory.Errorf(memory.Conflict, "stop it as the user that started it", "stop process %d: %w", pid, err)
	}
	a.note("stopping process %d", pid)
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := until(waiting, func() (bool, error) {
		holder, err := homestate.Holder(home)
		return holder != pid, err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return memory.Errorf(memory.Internal, fmt.Sprintf("wait longer with --timeout, or end it by force: kill -9 %d (what was stored is safe)", pid),
			"process %d did not stop within %s", pid, timeout)
	}
	return err
}

func (a *app) printDown(res downJSON) error {
	if a.json {
		return a.printJSON(res)
	}
	if !res.Stopped {
		return a.printf("mneme is not running\n")
	}
	return a.printf("mneme has stopped\n")
}
