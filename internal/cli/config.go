package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show every setting and where it comes from",
		Long: "Show every setting in force and where it comes from, secrets masked. A flag beats the\n" +
			"environment, that beats config.toml in the data folder, that beats the default.\n\n" +
			"The settings, by their names in config.toml, with their variables and flags:\n" + settingsHelp(),
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		settings := cfg.Settings()
		if a.json {
			return a.printJSON(settings)
		}
		rows := make([][]string, 0, len(settings))
		for _, s := range settings {
			rows = append(rows, []string{s.Name, orText(printable(s.Value), "-"), s.Source})
		}
		return table(a.sys.Stdout, rows)
	}
	return cmd
}

// settingsHelp lists every setting under the name the file has for it.
func settingsHelp() string {
	var b strings.Builder
	for _, d := range config.Describe() {
		usage := d.Usage
		if d.Flag != "" {
			usage += " (--" + d.Flag + ")"
		}
		fmt.Fprintf(&b, "  %-29s  %-35s  %s\n", d.Setting, d.Env, usage)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
