package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandJSON describes a command, for "mneme help --json".
type commandJSON struct {
	Name     string        `json:"name"` // with those above it, such as "analytics snapshot"
	Usage    string        `json:"usage"`
	Aliases  []string      `json:"aliases"`
	Short    string        `json:"short"`
	Long     string        `json:"long,omitempty"`
	Example  string        `json:"example,omitempty"`
	Flags    []flagJSON    `json:"flags"`
	Commands []commandJSON `json:"commands,omitempty"`
}

type flagJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Usage   string `json:"usage"`
}

// describeCommand tells all of a command and of those below it.
func describeCommand(cmd *cobra.Command) commandJSON {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	out := commandJSON{
		Name: name, Usage: cmd.UseLine(), Aliases: list(cmd.Aliases), Short: cmd.Short, Long: cmd.Long, Example: cmd.Example, Flags: []flagJSON{},
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			out.Flags = append(out.Flags, flagJSON{f.Name, f.Value.Type(), f.DefValue, f.Usage})
		}
	})
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			out.Commands = append(out.Commands, describeCommand(sub))
		}
	}
	return out
}

// helpInJSON makes help of a command answer --json.
func (a *app) helpInJSON(root *cobra.Command) {
	text := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !a.json {
			text(cmd, args)
			return
		}
		if err := a.printJSON(describeCommand(cmd)); err != nil {
			a.note("%v", err)
		}
	})
}
