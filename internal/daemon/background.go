package daemon

import (
	"context"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/sweep"
	"github.com/mneme-memory/mneme/workflows"
)

// drainEvery is how often the daemon looks for what hooks left: reading an
// empty folder costs nothing.
const drainEvery = 2 * time.Second

// startSpool delivers what hooks left while the daemon was down, and from now
// on what they leave.
func (d *daemon) startSpool(ctx context.Context, client *workflows.Client) {
	box := spool.Open(d.opts.Config.Home, d.opts.Redactor)
	d.stops.background(ctx, func(ctx context.Context) {
		box.Run(ctx, client, drainEvery, func(err error) {
			d.opts.Logger.WarnContext(ctx, "drain the hooks' spool", "error", err)
		})
	})
}

// startSweeper lets the chat model find what is worth keeping in sessions, if
// one is configured. Without one, hooks do it by rules.
func (d *daemon) startSweeper(ctx context.Context, chat activities.Chatter) {
	model, ok := chat.(*ollama.Chat)
	if !ok {
		return
	}
	sweeper := &sweep.Sweeper{
		Config: d.opts.Config, Redactor: d.opts.Redactor, Chat: model.Structured, Now: time.Now,
		ProjectRedactor: d.opts.ProjectRedactor,
	}
	d.stops.background(ctx, func(ctx context.Context) {
		sweeper.Run(ctx, sweep.Every, func(err error) {
			d.opts.Logger.WarnContext(ctx, "read sessions with the chat model", "error", err)
		})
	})
}
