package daemon

import (
	"context"
	"time"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/hook"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/spool"
)

// drainEvery is how often the daemon looks for what hooks left: reading an
// empty folder costs nothing.
const drainEvery = 2 * time.Second

// startSpool delivers what hooks left while the daemon was down, and from now
// on what they leave.
func (d *daemon) startSpool(ctx context.Context) error {
	cfg := d.opts.Config
	cfg.Temporal.Address = d.state.Services["temporal"].Address
	client, err := dial.Open(ctx, cfg, d.opts.Redactor)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		spool.Open(cfg.Home, d.opts.Redactor).Run(ctx, client, drainEvery, func(err error) {
			d.opts.Logger.WarnContext(ctx, "drain the hooks' spool", "error", err)
		})
	}()
	d.onStop(func() error {
		cancel()
		<-done
		client.Close()
		return nil
	})
	return nil
}

// sweepEvery is how often the daemon looks at sessions' transcripts when a
// chat model reads them.
const sweepEvery = 20 * time.Second

// startSweeper lets the chat model find what is worth keeping in sessions, if
// one is configured. Without one, hooks do it by rules.
func (d *daemon) startSweeper(ctx context.Context, chat activities.Chatter) {
	model, ok := chat.(*ollama.Chat)
	if !ok {
		return
	}
	sweeper := &hook.Sweeper{
		Config: d.opts.Config, Redactor: d.opts.Redactor, Chat: model.Structured, Now: time.Now,
		ProjectRedactor: d.opts.ProjectRedactor,
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		sweeper.Run(ctx, sweepEvery, func(err error) {
			d.opts.Logger.WarnContext(ctx, "read sessions with the chat model", "error", err)
		})
	}()
	d.onStop(func() error {
		cancel()
		<-done
		return nil
	})
}
