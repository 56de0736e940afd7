package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/mneme-memory/mneme/internal/autostart"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// daemon tells whether "mneme up" runs for this home.
func (o Options) daemon(context.Context) (string, error) {
	d, alive, err := homestate.Running(o.Config.Home)
	holder, holderErr := homestate.Holder(o.Config.Home)
	switch {
	case err != nil || holderErr != nil:
		return "", errors.Join(err, holderErr)
	case alive:
		return fmt.Sprintf("process %d, version %s", d.PID, d.Version), nil
	case holder != 0:
		return "", memory.Down("mneme", `wait a moment; "mneme down" stops it`, fmt.Errorf("is still starting, or stopping (process %d)", holder))
	case o.Config.Temporal.Address != "":
		return "not running here; Temporal is at " + o.Config.Temporal.Address, nil
	default:
		return "", memory.Down("mneme", `start it with "mneme up"`, errors.New("is not running"))
	}
}

// autostart tells of starts in the background that failed: nobody was there to see.
func (o Options) autostart(context.Context) (string, error) {
	switch {
	case !o.Config.Autostart:
		return "off: " + o.Config.Source("autostart"), nil
	case o.Config.Temporal.Address != "":
		return "not needed: Temporal is given", nil
	}
	trouble, err := autostart.Look(o.Config.Home, o.Now())
	if err != nil {
		return "", err
	}
	if trouble.Failures == 0 {
		return "on: Claude Code's sessions start mneme", nil
	}
	return "", memory.Errorf(memory.Unavailable, `"mneme up" shows what is wrong; the log is `+homestate.LogPath(o.Config.Home),
		"failed %s in a row, last at %s; not again before %s. The log ends:\n%s",
		count(trouble.Failures, "time", "times"), o.Date(trouble.Last), o.Date(trouble.Next), o.LogTail())
}
