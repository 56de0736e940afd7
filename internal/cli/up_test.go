package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
)

// TestReadySaysHowToStop: Ctrl-C stops nothing that runs in the background.
func TestReadySaysHowToStop(t *testing.T) {
	t.Parallel()
	for how, want := range map[howStarted]string{
		inForeground: "Stop: Ctrl-C, or mneme down", inBackground: "Stop: mneme down", alreadyRunning: "Stop: mneme down",
	} {
		var out bytes.Buffer
		a := &app{
			sys: System{
				Stdout: &out, Stderr: &out, StdoutTTY: true, Now: time.Now, Env: func(string) string { return "" },
				Executable: func() (string, error) { return "", errors.New("none") },
			},
			deps: Deps{Dial: func(context.Context, config.Config) (Client, error) { return nil, errUnexpected }},
		}
		// No server answers, which the exit code tells.
		if err := a.printReady(t.Context(), config.Config{Home: t.TempDir()}, homestate.Daemon{PID: 1}, how); err != nil && !errors.As(err, new(quiet)) {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("%d says\n%s", how, out.String())
		}
	}
}

func TestReadySaysThatThePortWasTaken(t *testing.T) {
	t.Parallel()
	var cfg config.Config
	cfg.UI.Port = 8233
	for _, c := range []struct {
		ui   string
		how  howStarted
		says bool
	}{
		{"http://127.0.0.1:4711", inBackground, true},
		{"http://127.0.0.1:4711", inForeground, true},
		{"http://127.0.0.1:8233", inForeground, false},
		{"http://127.0.0.1:4711", alreadyRunning, false}, // it may have been started with another setting
		{"", inForeground, false},
	} {
		if got := otherPort(cfg, homestate.Daemon{UI: c.ui}, c.how); strings.Contains(got, "port 8233 was taken") != c.says {
			t.Errorf("%q, started %d: %q", c.ui, c.how, got)
		}
	}
}
