package daemon

import (
	"context"
	"time"

	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/hook/spool"
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
