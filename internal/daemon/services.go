package daemon

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// services are the four servers as they were given, found or started, each with our adapter
// to it.
type services struct {
	temporal temporalServer
	postgres postgresServer
	qdrant   qdrantServer
	ollama   ollamaServer
}

// startServices brings up the services and the adapters to them side by side. Each goroutine
// returns its service and writes a field of its own; they share only the list of services to
// stop. Only Ollama waits for another service: the ledger names the model.
func (d *daemon) startServices(ctx context.Context) (services, error) {
	var s services
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { s.temporal, err = d.startTemporal(ctx); return err })
	group.Go(func() (err error) { s.qdrant, err = d.startQdrant(ctx); return err })
	group.Go(func() (err error) {
		if s.postgres, err = d.startPostgres(ctx); err != nil {
			return err
		}
		s.ollama, err = d.startOllama(ctx, s.postgres.stats)
		return err
	})
	if err := group.Wait(); err != nil {
		return s, err
	}
	var err error
	s.qdrant.index, err = d.openIndex(s.qdrant, s.postgres.ledger)
	return s, err
}
