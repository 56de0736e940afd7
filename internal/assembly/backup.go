package assembly

import (
	"context"
	"errors"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/memory"
)

// OpenForBackup connects to the PostgreSQL that the running daemon of the home uses, or without one
// to that of the settings. It leaves the schema as it is.
func OpenForBackup(ctx context.Context, cfg config.Config) (*postgres.Ledger, error) {
	d, ready, err := homestate.Running(cfg.Home)
	if err != nil {
		return nil, err
	}
	if !ready {
		d = homestate.Daemon{}
	}
	at := homestate.Where(cfg, d)[homestate.PostgresService]
	url := postgresURL(cfg.Postgres.URL, at)
	switch {
	case at.Address == "" && cfg.Temporal.Address != "":
		return nil, memory.Down("PostgreSQL",
			"set MNEME_POSTGRES_URL here as for the workers: a backup reads the database itself",
			errors.New("where the database is, is not known here"))
	case at.Address == "":
		return nil, memory.Down("mneme", `start it with "mneme up"`, errors.New("is not running"))
	case config.IsMasked(url):
		return nil, memory.Refusal("PostgreSQL", `set MNEME_POSTGRES_URL here as it was for "mneme up"`,
			errors.New("the password of the database is not known here"))
	}
	l, err := postgres.Open(ctx, postgres.Options{URL: url, MaxConns: 2})
	if err != nil {
		return nil, err
	}
	if err := l.Ping(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
