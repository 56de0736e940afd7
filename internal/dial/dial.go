// Package dial connects a door (the CLI, the MCP server, a hook) to the
// running mneme: it finds Temporal's address and builds the redactor that
// everything passes on its way there.
package dial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// timeout bounds the connection: a daemon on this machine answers at once.
const timeout = 3 * time.Second

// Open connects to the workflows of the ledger that the settings or the home
// tell, see [Ledger]. It fails with [memory.Unavailable] when mneme does not run.
func Open(ctx context.Context, cfg config.Config, r memory.Redactor) (*workflows.Client, error) {
	server, err := config.TemporalServer(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	given := cfg.Temporal.Address != ""
	cfg.Temporal = server
	// The SDK would log to standard error, where it only frightens.
	c, err := temporal.Dial(ctx, cfg.Temporal, nil)
	switch {
	case memory.CodeOf(err) == memory.Unavailable && !given:
		return nil, memory.Down("Temporal", `start it with "mneme up", or run "mneme doctor" to see every part`, errors.Unwrap(err))
	case err != nil:
		return nil, err
	}
	ledger, err := Ledger(ctx, cfg, c)
	if err != nil {
		c.Close()
		return nil, err
	}
	return workflows.NewClient(c, r, ledger).For(cfg.User), nil
}

// OpenFor connects to the workflows of a ledger that is known, at a known Temporal.
func OpenFor(ctx context.Context, cfg config.Temporal, ledger string, r memory.Redactor) (*workflows.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := temporal.Dial(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	return workflows.NewClient(c, r, ledger), nil
}

// Ledger returns the identity of the ledger whose workers a door asks: that of
// the home's daemon if it works with the Temporal at cfg's address, else the
// one that is set, else the only one in the namespace that c is connected to.
// It is "" for a daemon of a release that knew no identities.
func Ledger(ctx context.Context, cfg config.Config, c client.Client) (string, error) {
	d, err := config.ReadDaemon(cfg.Home)
	if err == nil && d.Services[config.TemporalService].Address == cfg.Temporal.Address && (cfg.Ledger == "" || cfg.Ledger == d.Ledger) {
		if d.Ledger != "" {
			return d.Ledger, nil
		}
		if _, ready, err := config.Running(cfg.Home); err == nil && ready {
			return "", nil
		}
	}
	return workflows.FindLedger(ctx, c, cfg.Ledger)
}

// Redactor returns the redactor with the built-in detectors and the rules of
// the CLAUDE.md files that apply: those in the user's home folder and in the
// project's. A door names its project, so that the project's own rules hold for
// all it sends; the daemon serves all projects, names none ("") and applies the
// user's again.
func Redactor(home, project string) (memory.Redactor, error) {
	rules, _, err := redact.LoadClaudeMD(home, project)
	if err != nil {
		return nil, fmt.Errorf("read the privacy rules of CLAUDE.md: %w", err)
	}
	r, err := redact.New(redact.Options{Rules: rules})
	if err != nil {
		return nil, fmt.Errorf("apply the privacy rules of CLAUDE.md: %w", err)
	}
	return redactor{r}, nil
}

// PrivacyWarnings says in a line each what of the CLAUDE.md files' privacy rules is left out,
// and why. A file that cannot be read is one of them.
func PrivacyWarnings(home, project string) []string {
	_, warnings, err := redact.LoadClaudeMD(home, project)
	if err != nil {
		return []string{err.Error()}
	}
	out := make([]string, len(warnings))
	for i, w := range warnings {
		out[i] = w.String()
	}
	return out
}

// redactor gives the room's answer in the words of the activities.
type redactor struct{ r *redact.Redactor }

func (r redactor) Redact(text string) (string, []string) {
	result := r.r.Redact(text)
	kinds := make([]string, len(result.Findings))
	for i, f := range result.Findings {
		kinds[i] = string(f.Kind)
	}
	return result.Text, kinds
}
