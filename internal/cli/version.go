package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) version() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Show the version", Args: cobra.NoArgs}
	cmd.RunE = func(*cobra.Command, []string) error {
		v := versionJSON{Version: a.versionText(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH}
		if a.json {
			return a.printJSON(v)
		}
		return a.printf("mneme %s (%s, %s)\n", v.Version, v.Go, v.OS)
	}
	return cmd
}
