package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	var flags strings.Builder
	for _, f := range config.Flags() {
		fmt.Fprintf(&flags, "  --%-22s %-26s %s\n", f.Name, f.Env, f.Usage)
	}
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show every setting and where it comes from",
		Long: "Show every setting in force and where it comes from, secrets masked. A flag beats the\n" +
			"environment, that beats config.toml in the data folder, that beats the default.\n\n" +
			"Flags and variables of every command:\n" + flags.String() +
			"  (no flag)                MNEME_QDRANT_API_KEY       secret of Qdrant\n" +
			"  (no flag)                MNEME_PROJECT              project to work in",
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
