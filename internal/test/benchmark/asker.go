package main

import (
	"context"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/workflows"
)

// An asker is connected to the daemon with 10,000 memories, as the product is
// and with empty workflows as a yardstick. Close it.
type asker struct {
	daemon   *loaded
	temporal client.Client
	mneme    *workflows.Client
	empty    *yardstick
}

func (e *Env) asker(ctx context.Context) (*asker, error) {
	a := &asker{}
	var err error
	if a.daemon, err = e.full(ctx); err != nil {
		return nil, err
	}
	if a.temporal, err = a.daemon.temporal(ctx); err != nil {
		return nil, err
	}
	if a.mneme, err = a.daemon.client(a.temporal); err == nil {
		a.empty, err = newYardstick(a.temporal)
	}
	if err != nil {
		a.temporal.Close()
		return nil, err
	}
	return a, nil
}

func (a *asker) close() {
	a.empty.stop()
	a.temporal.Close()
}
