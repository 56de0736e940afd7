package daemon

import (
	"context"
	"os"
	"time"

	"github.com/mneme-memory/mneme/internal/history"
	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// startHistory imports Claude Code's history every night, if that is wanted.
func (d *daemon) startHistory(ctx context.Context, client *workflows.Client) {
	home, err := os.UserHomeDir()
	if !d.opts.Config.Nightly || err != nil || d.opts.Getenv == nil {
		return
	}
	redactor := d.opts.ProjectRedactor
	if redactor == nil {
		redactor = func(string) (memory.Redactor, error) { return d.opts.Redactor, nil }
	}
	nightly := history.Nightly{Client: client, Import: history.Import{
		Home: d.opts.Config.Home, Root: history.Folder(d.opts.Getenv, home),
		Project: project.Identify, Redactor: redactor,
		Now: time.Now, User: d.opts.Config.User, Archive: true, Memories: d.opts.Config.Hooks.ExtractMax,
	}}
	d.stops.background(ctx, func(ctx context.Context) {
		nightly.Run(ctx, history.Every, func(err error) {
			d.opts.Logger.WarnContext(ctx, "import Claude Code's history", "error", err)
		})
	})
}
