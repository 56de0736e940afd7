package cli

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/install"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/plugin"
)

type installFlags struct {
	plugin, settings bool
	scope            string
	dryRun, yes      bool
}

func (a *app) install() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Connect Claude Code",
		Long: "Connect Claude Code: as a plugin (the default where Claude Code is installed), or by\n" +
			"entries in its settings. Shows what it will change and asks. Your own entries stay, and\n" +
			"\"mneme uninstall\" puts the files back as they were. Repeat it after an upgrade.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&f.plugin, "plugin", false, "as a plugin, through Claude Code's own command line")
	cmd.Flags().BoolVar(&f.settings, "settings", false, "by hooks, a server and permissions in Claude Code's settings")
	cmd.Flags().StringVar(&f.scope, "scope", "user", "user, project (files that go into the project) or local (only you, only this project)")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.MarkFlagsMutuallyExclusive("plugin", "settings")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		opts, err := a.installOptions(f)
		if err != nil {
			return err
		}
		return a.runInstall(cmd.Context(), opts, f)
	}
	return cmd
}

func (a *app) installOptions(f installFlags) (install.Options, error) {
	cfg, err := a.config()
	if err != nil {
		return install.Options{}, err
	}
	if !f.dryRun {
		if err := config.EnsureHome(cfg.Home); err != nil {
			return install.Options{}, err
		}
	}
	exe, err := a.sys.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return install.Options{}, fmt.Errorf("find this program: %w", err)
	}
	o := install.Options{
		Mode: install.Settings, Scope: install.Scope(f.scope), Dir: install.ProjectDir(a.sys.Dir), Home: cfg.Home,
		UserHome: a.sys.Env("HOME"), ConfigDir: a.sys.Env("CLAUDE_CONFIG_DIR"),
		Programs: filepath.Dir(exe), Files: plugin.Files, Client: install.FindClaude(),
	}
	if o.UserHome == "" {
		return o, memory.Errorf(memory.Invalid, "set HOME", "the home folder is not known")
	}
	if f.plugin || !f.settings && o.Client != nil {
		o.Mode = install.Plugin
	}
	return o, nil
}

func (a *app) runInstall(ctx context.Context, opts install.Options, f installFlags) error {
	plan, err := install.Prepare(opts)
	if err != nil {
		return err
	}
	res := installJSON{Mode: string(opts.Mode), Scope: string(opts.Scope), Changes: changesJSON(plan.Changes), Files: []string{}}
	for _, p := range plan.Payload {
		res.Files = append(res.Files, p.Path)
	}
	if plan.Empty() {
		return a.printInstalled(res, "mneme is connected already, nothing to do\n")
	}
	if err := a.showChanges(plan.Changes, fmt.Sprintf("files in %s: %d", opts.Home, len(plan.Payload))); err != nil {
		return err
	}
	if f.dryRun {
		return a.printInstalled(res, "nothing was changed\n")
	}
	if sure, err := a.confirm(ctx, f.yes, "Connect Claude Code this way?"); err != nil || !sure {
		return err
	}
	if err := plan.Apply(ctx); err != nil {
		return err
	}
	res.Done = true
	return a.printInstalled(res, fmt.Sprintf("Claude Code is connected (%s, %s scope). It is in force from the next session on;\n"+
		"mneme has to run then: mneme up --detach\n", opts.Mode, opts.Scope))
}

// showChanges shows diffs to a person.
func (a *app) showChanges(changes []install.Change, payload string) error {
	if a.json {
		return nil
	}
	for _, c := range changes {
		if err := a.printf("%s\n", a.coloured(printable(c.Diff()))); err != nil {
			return err
		}
		if c.Edited {
			a.note("%s was edited since: only the entries of mneme change, the rest stays", c.Path)
		}
	}
	return a.printf("%s\n", payload)
}

// coloured colours the lines of a diff.
func (a *app) coloured(diff string) string {
	p := a.paint()
	lines := strings.Split(diff, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "+"):
			lines[i] = p.green(line)
		case strings.HasPrefix(line, "-"):
			lines[i] = p.red(line)
		}
	}
	return strings.Join(lines, "\n")
}

// confirm asks a person. Without one, only --yes is a yes.
func (a *app) confirm(ctx context.Context, yes bool, question string) (bool, error) {
	if yes {
		return true, nil
	}
	if !a.sys.StdinTTY {
		return false, memory.Errorf(memory.Invalid, "look at it with --dry-run, then repeat with --yes", "nobody is there to confirm")
	}
	fmt.Fprintf(a.sys.Stderr, "%s [y/N] ", question)
	line, err := interruptible(ctx, func() (string, error) { return bufio.NewReader(a.sys.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return false, err
	}
	if !isYes(line) { // an error is no answer, and no answer is no
		a.note("nothing was changed")
		return false, nil
	}
	return true, nil
}

// isYes reports whether a person's answer is a yes.
func isYes(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// installJSON is the --json output of install and uninstall.
type installJSON struct {
	Done    bool         `json:"done"` // false if there was nothing to do, or with --dry-run
	Mode    string       `json:"mode,omitempty"`
	Scope   string       `json:"scope,omitempty"`
	Removed []string     `json:"removed,omitempty"` // connections, in words
	Changes []changeJSON `json:"changes"`           // of the user's files
	Files   []string     `json:"files"`             // of the data folder
}

type changeJSON struct {
	Path   string `json:"path"`
	Diff   string `json:"diff"`
	Edited bool   `json:"edited"` // by somebody else since it was written
}

func changesJSON(changes []install.Change) []changeJSON {
	out := make([]changeJSON, 0, len(changes))
	for _, c := range changes {
		out = append(out, changeJSON{c.Path, c.Diff(), c.Edited})
	}
	return out
}

func (a *app) printInstalled(res installJSON, text string) error {
	if a.json {
		return a.printJSON(res)
	}
	return a.printf("%s", text)
}
