package cli

import (
	"context"
	"io"
	"os/exec"
	"strings"
)

// paged runs show with an output that goes through the user's pager, $PAGER or
// less, when it goes to a terminal. The pager ends by itself when all fits on
// one screen. Without one that can be started the output goes to the terminal.
func (a *app) paged(ctx context.Context, show func() error) error {
	if !a.sys.StdoutTTY || a.json {
		return show()
	}
	words := strings.Fields(a.sys.Env("PAGER"))
	if len(words) == 0 || len(words) == 1 && words[0] == "less" {
		words = []string{"less", "-FRX"}
	}
	// An interrupt is the pager's to handle: killed, it would leave the terminal as it has set it.
	pager := exec.CommandContext(context.WithoutCancel(ctx), words[0], words[1:]...) //nolint:gosec // the user's own pager, no shell
	terminal := a.sys.Stdout
	pager.Stdout, pager.Stderr = terminal, a.sys.Stderr
	in, err := pager.StdinPipe()
	if err != nil {
		return show()
	}
	if err := pager.Start(); err != nil {
		_ = in.Close() // nobody reads it
		return show()
	}
	out := &untilClosed{w: in}
	a.sys.Stdout = out
	shown := show()
	a.sys.Stdout = terminal
	_ = in.Close()   // the pager may have closed it
	_ = pager.Wait() // what it thinks of its own end is not ours to tell
	return shown
}

// untilClosed writes until the reader is gone: who leaves the pager has seen enough.
type untilClosed struct {
	w    io.Writer
	gone bool
}

func (u *untilClosed) Write(p []byte) (int, error) {
	if !u.gone {
		if _, err := u.w.Write(p); err != nil {
			u.gone = true
		}
	}
	return len(p), nil
}
