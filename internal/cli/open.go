package cli

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/uilink"
	"github.com/mneme-memory/mneme/memory"
)

// openFlags are those of "mneme open".
type openFlags struct {
	byAddress, print bool
}

func (a *app) open() *cobra.Command {
	var f openFlags
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the console in the browser: look, search, correct, undo",
		Long: "Open the console in the browser: what is remembered, why a memory is found, its life, every\n" +
			"change and how to take it back. The link is good once, within two minutes; the browser is then\n" +
			"let in for twelve hours or until mneme stops. Nobody else on this machine is.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&f.byAddress, "ip", false,
		"a link to 127.0.0.1, for a browser that does not know names below .localhost")
	cmd.Flags().BoolVar(&f.print, "print", false, "print the link and open no browser")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(),
			func(cfg config.Config, _ Client) error { return a.openConsole(cmd.Context(), cfg, f) })
	}
	return cmd
}

func (a *app) openConsole(ctx context.Context, cfg config.Config, f openFlags) error {
	d, ready, err := homestate.Running(cfg.Home)
	switch {
	case err != nil:
		return err
	case !ready:
		return memory.Down("mneme",
			`start it with "mneme up": the console is served by it, also where the servers are elsewhere`,
			errors.New("is not running"))
	case d.Console == "" || d.ConsoleKey == "":
		return memory.Errorf(memory.Conflict, `start it anew: "mneme down", then "mneme up"`,
			"the mneme that runs is older than its console")
	}
	link, err := uilink.Link(d.Console, uilink.Key(d.ConsoleKey), a.sys.Now(), f.byAddress)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(uiJSON{link})
	}
	if !f.print && a.sys.Browse != nil && a.sys.StdoutTTY {
		another, err := uilink.Link(d.Console, uilink.Key(d.ConsoleKey), a.sys.Now(), f.byAddress)
		if err != nil {
			return err
		}
		if err := a.browse(ctx, cfg.Home, another); err != nil {
			a.note("no browser was opened: %v", err)
		}
	}
	return a.printf("%s\n", link)
}

// browse has the browser open a link. Every user of the machine can read a program's arguments, so the
// link stands in a page that only its owner can read, and the browser is given the page.
func (a *app) browse(ctx context.Context, home, link string) error {
	page := filepath.Join(home, "open.html")
	text := fmt.Sprintf(
		"<!DOCTYPE html><title>mneme</title><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
		html.EscapeString(link))
	if err := renameio.WriteFile(page, []byte(text), 0o600, renameio.WithTempDir(home)); err != nil {
		return fmt.Errorf("write the page for the browser: %w", err)
	}
	return a.sys.Browse(ctx, page)
}

// openInBrowser has the desktop open a file, and does not wait for the browser's end.
func openInBrowser(ctx context.Context, path string) error {
	name, args := "xdg-open", []string{path}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", path}
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	return cmd.Process.Release()
}
