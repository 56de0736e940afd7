package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// Main runs one command and returns its exit code. ctx should end on
// interrupt, terminate and hang-up: every command stops cleanly then.
func Main(ctx context.Context, sys System, deps Deps) int {
	a := &app{sys: sys, deps: deps}
	root := a.root()
	root.SetArgs(sys.Args)
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.json { // a command line that could not be read may still ask for JSON
		for _, arg := range sys.Args {
			a.json = a.json || arg == "--json"
		}
	}
	return report(ctx, sys.Stderr, a.json, err)
}

// app is what the commands share.
type app struct {
	sys      System
	deps     Deps
	json     bool
	settings map[string]*string // flag values by name of the setting
}

// The groups of "mneme help".
const (
	groupDaemon = "daemon"
	groupMemory = "memory"
	groupUpkeep = "upkeep"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "mneme",
		Short:         "A long-term memory for Claude Code",
		Long:          "mneme is a long-term memory for Claude Code. It runs on your own machine,\nand nothing it is told is lost. Start it with \"mneme up\".",
		SilenceErrors: true, // Main prints them
		SilenceUsage:  true,
		Args:          noSuchCommand,
		Version:       a.versionText(),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(a.versionLine())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
	a.settings = map[string]*string{}
	for _, d := range config.Describe() {
		if d.Flag == "" {
			continue
		}
		a.settings[d.Setting] = root.PersistentFlags().String(d.Flag, "", fmt.Sprintf("%s (%s)", d.Usage, d.Env))
		if d.Setting != "home" { // the rest is listed by "mneme config --help"
			root.PersistentFlags().MarkHidden(d.Flag) //nolint:errcheck // fails for unknown flags only
		}
	}
	root.AddGroup(
		&cobra.Group{ID: groupDaemon, Title: "Run it:"},
		&cobra.Group{ID: groupMemory, Title: "Remember:"},
		&cobra.Group{ID: groupUpkeep, Title: "Look after it:"},
	)
	a.add(root, groupDaemon, a.up(), a.down(), a.install(), a.uninstall(), a.upgrade(), a.status(),
		a.open(), a.api(), a.ui(), a.doctor(), a.metrics(), a.configCommand(), a.man(), a.version())
	a.add(root, groupMemory, a.store(), a.recall(), a.list(), a.get(), a.edit(), a.pin(true), a.pin(false), a.forget(), a.link(), a.related(), a.history(), a.undo(), a.restore())
	a.add(root, groupUpkeep, a.stats(), a.tags(), a.organize(), a.pinQuestion(), a.importCommand(),
		a.export(), a.backup(), a.restoreBackup(), a.rebuild(), a.reembed(), a.analytics(), a.review(), a.hooks())
	a.add(root, groupMemory, a.conversations())
	a.add(root, groupUpkeep, a.redact())
	a.add(root, groupUpkeep, a.eval())
	root.AddCommand(exitHelp())
	a.helpInJSON(root)
	return root
}

func (a *app) add(root *cobra.Command, group string, cmds ...*cobra.Command) {
	for _, cmd := range cmds {
		cmd.GroupID = group
		a.completions(cmd)
		cmd.Args = argsOf(cmd)
		markErrors(cmd)
		root.AddCommand(cmd)
	}
}

// markErrors has a command, and those below it, return their errors as [runError].
func markErrors(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		markErrors(below)
	}
	run := cmd.RunE
	if run == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			return runError{err}
		}
		return nil
	}
}

// config loads the settings in force.
func (a *app) config() (config.Config, error) {
	flags := map[string]string{}
	for name, value := range a.settings {
		if *value != "" {
			flags[name] = *value
		}
	}
	return config.Load(config.Sources{Flags: flags, Env: a.sys.Env})
}

// with dials the workflows and calls do with the connection.
func (a *app) with(ctx context.Context, do func(config.Config, Client) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if a.deps.Autostart != nil {
		if err := a.deps.Autostart(ctx, cfg, func(text string) { a.note("%s", text) }); err != nil {
			return err
		}
	}
	client, err := a.deps.Dial(ctx, cfg)
	if err != nil {
		return err
	}
	defer client.Close()
	return do(cfg, client)
}

// project returns the project to work in: --global, --project, the setting,
// or the one of the current folder.
func (a *app) project(cfg config.Config, flag string, global bool) (string, error) {
	switch {
	case global && flag != "":
		return "", memory.Errorf(memory.Invalid, "choose one", "--project and --global exclude each other")
	case global:
		return memory.Global, nil
	case flag != "":
		return a.meant(flag), nil
	case cfg.Project != "":
		return cfg.Project, nil
	case a.deps.Project == nil:
		return memory.Global, nil
	default:
		return a.deps.Project(a.sys.Dir), nil
	}
}

// meant is the project that somebody means who gives only the last part of the name of the current
// folder's project: "shop" in github.com/acme/shop.
func (a *app) meant(name string) string {
	if a.deps.Project == nil {
		return name
	}
	full := memory.ResolveProject(name, []string{a.deps.Project(a.sys.Dir)})
	if full != name {
		a.note("%s is taken for this folder's project, %s", printable(name), printable(full))
	}
	return full
}

func (a *app) versionText() string {
	if a.deps.Version == "" {
		return "devel"
	}
	return a.deps.Version
}

// sibling returns the path of another binary of ours beside this one, or its
// bare name when it is not there.
func (a *app) sibling(name string) string {
	exe, err := a.sys.Executable()
	if err != nil {
		return name
	}
	path := filepath.Join(filepath.Dir(exe), name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return name
	}
	return path
}
