package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/uilink"
	"github.com/mneme-memory/mneme/memory"
)

// uiJSON is what "mneme ui --json" prints.
type uiJSON struct {
	URL string `json:"url"`
}

// ui prints a link, and starts no browser itself: every user of the machine can read the
// command line of one.
func (a *app) ui() *cobra.Command {
	var byAddress bool
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Print a link into Temporal's web interface",
		Long: "Print a link that lets a browser into Temporal's web interface, where every workflow can be\n" +
			"looked at: once, within two minutes, and then for twelve hours or until mneme stops.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&byAddress, "ip", false, "a link to 127.0.0.1, for a browser that does not know names below .localhost")
	cmd.RunE = func(*cobra.Command, []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		d, ready, err := homestate.Running(cfg.Home)
		switch {
		case err != nil:
			return err
		case !ready:
			return memory.Down("mneme", `start it with "mneme up"`, errors.New("is not running"))
		case d.UI == "" || d.UIKey == "":
			return memory.Errorf(memory.NotFound, "open the web interface of that server",
				"the Temporal at %s was given, and mneme serves no interface for it", d.Services[homestate.TemporalService].Address)
		}
		link, err := uilink.Link(d.UI, uilink.Key(d.UIKey), a.sys.Now(), byAddress)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(uiJSON{link})
		}
		return a.printf("%s\n", link)
	}
	return cmd
}

// uiHint says how to get in where the interface is.
const uiHint = ` ("mneme ui" prints a link that lets you in)`

func uiText(address string) string {
	if address == "" {
		return "-"
	}
	return address + uiHint
}
