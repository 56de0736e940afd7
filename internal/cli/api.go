package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// apiRoot is where the API begins on the console's address.
const apiRoot = "/api/v1"

// apiJSON is what "mneme api --json" prints.
type apiJSON struct {
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
}

// api says where the REST API is. It prints no token: what is printed is kept by terminals and logs.
func (a *app) api() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "api",
		Short: "Say where the REST API is, and which file holds its token",
		Long: "Say where the REST API of the mneme that runs is, and which file holds the token that programs\n" +
			"send as \"Authorization: Bearer …\". The port is another one after each start. <address>/openapi.json\n" +
			"describes all that it does.",
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(cfg config.Config, _ Client) error { return a.sayAPI(cmd.Context(), cfg) })
	}
	return cmd
}

func (a *app) sayAPI(_ context.Context, cfg config.Config) error {
	d, ready, err := homestate.Running(cfg.Home)
	switch {
	case err != nil:
		return err
	case !ready:
		return memory.Down("mneme", `start it with "mneme up": the API is served by it`, errors.New("is not running"))
	case d.Console == "":
		return memory.Errorf(memory.Conflict, `start it anew: "mneme down", then "mneme up"`, "the mneme that runs is older than its API")
	}
	out := apiJSON{URL: d.Console + apiRoot, TokenFile: config.APITokenPath(cfg.Home)}
	if a.json {
		return a.printJSON(out)
	}
	return a.printf("address     %s\ntoken file  %s\n", out.URL, out.TokenFile)
}
