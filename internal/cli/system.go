package cli

import (
	"context"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/term"
)

// System is the world around a command. [OS] returns the real one.
type System struct {
	Args    []string // without the program's name
	Env     func(string) string
	Environ []string // all of the environment, for the detached daemon
	Dir     string   // current folder

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Whether the streams are a person's terminal.
	StdinTTY, StdoutTTY, StderrTTY bool

	Width      int            // of the terminal in columns; 0 means 80
	Location   *time.Location // time zone of dates without one; nil means time.Local
	Now        func() time.Time
	Executable func() (string, error) // path of this program, for up --detach
	// Browse has the desktop open a file in the browser; nil where there is none.
	Browse func(ctx context.Context, path string) error
}

// OS returns the process's own system.
func OS() System {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/" // a folder that was removed under us belongs to no project
	}
	isTTY := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = 0
	}
	browse := openInBrowser
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY")+os.Getenv("WAYLAND_DISPLAY") == "" {
		browse = nil
	}
	return System{
		Browse: browse,
		Args:   os.Args[1:], Env: os.Getenv, Environ: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY: isTTY(os.Stdin), StdoutTTY: isTTY(os.Stdout), StderrTTY: isTTY(os.Stderr),
		Width: width, Now: time.Now, Executable: os.Executable,
	}
}

func (s System) width() int {
	const narrowest, usual, widest = 40, 80, 120
	if s.Width == 0 {
		return usual
	}
	return min(max(s.Width, narrowest), widest)
}

func (s System) location() *time.Location {
	if s.Location == nil {
		return time.Local
	}
	return s.Location
}
