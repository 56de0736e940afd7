// Package dial connects a door (the CLI, the MCP server, a hook) to the
// running mneme: it finds Temporal's address and builds the redactor that
// everything passes on its way there.
package dial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// timeout bounds the connection: a daemon on this machine answers at once.
const timeout = 3 * time.Second

// Open connects to the workflows. It fails with [memory.Unavailable] when
// mneme does not run.
func Open(ctx context.Context, cfg config.Config, r activities.Redactor) (*workflows.Client, error) {
	address, err := config.TemporalAddress(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	given := cfg.Temporal.Address != ""
	cfg.Temporal.Address = address
	// The SDK would log to standard error, where it only frightens.
	c, err := temporal.Dial(ctx, cfg.Temporal, nil)
	switch {
	case memory.CodeOf(err) == memory.Unavailable && !given:
		return nil, memory.Down("Temporal", `start it with "mneme up", or run "mneme doctor" to see every part`, errors.Unwrap(err))
	case err != nil:
		return nil, err
	}
	return workflows.NewClient(c, r), nil
}

// Redactor returns the redactor with the built-in detectors and the rules of
// the CLAUDE.md files that apply: those in the user's home folder and in the
// project's. A door names its project, so that what leaves it is clean; the
// daemon serves all projects, names none ("") and applies the user's again.
func Redactor(home, project string) (activities.Redactor, error) {
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
