package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) version() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Show the version", Args: cobra.NoArgs}
	cmd.RunE = func(*cobra.Command, []string) error {
		if a.json {
			return a.printJSON(versionJSON{Version: a.versionText(), Go: runtime.Version(), OS: platform})
		}
		return a.printf("%s", a.versionLine())
	}
	return cmd
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

func (a *app) versionLine() string {
	return fmt.Sprintf("mneme %s (%s, %s)\n", a.versionText(), runtime.Version(), platform)
}
