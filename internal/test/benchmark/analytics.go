package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/analytics"
	pgserver "github.com/mneme-memory/mneme/embedded/postgres"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/test/sample"
	"github.com/mneme-memory/mneme/memory"
)

// The size of the ledger that is analysed, and how often each question is asked.
const (
	auditRows      = 1_000_000
	auditMemories  = 10_000
	questionRounds = 5
)

// runAnalytics takes a snapshot of a ledger with a million audit rows, and
// asks each view the same as PostgreSQL, in turns.
func runAnalytics(ctx context.Context, env *Env) (rows []Row, err error) {
	server, err := pgserver.Start(ctx, pgserver.Options{Dir: filepath.Join(env.Dir, "analytics-postgres")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	ledger, err := postgres.Open(ctx, postgres.Options{URL: server.URL()})
	if err != nil {
		return nil, err
	}
	defer ledger.Close()
	if err := ledger.Migrate(ctx); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, server.URL())
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	env.say("writing %d audit rows", auditRows)
	if err := sample.Fill(ctx, conn, auditRows, auditMemories); err != nil {
		return nil, err
	}
	snapshots := &analytics.Snapshots{Dir: filepath.Join(env.Dir, "analytics"), Source: ledger}
	rows, err = measureSnapshots(ctx, env, snapshots)
	if err != nil {
		return nil, err
	}
	reader, err := analytics.OpenReader(ctx, snapshots.Path())
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for _, q := range questions() {
		row, err := askBoth(ctx, q, reader, conn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.view, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// measureSnapshots takes the first snapshot, and one that has nothing to add.
func measureSnapshots(ctx context.Context, env *Env, s *analytics.Snapshots) ([]Row, error) {
	env.say("taking a snapshot")
	first, err := s.Snapshot(ctx, memory.SnapshotInput{}, nil)
	if err != nil {
		return nil, err
	}
	again, err := s.Snapshot(ctx, memory.SnapshotInput{}, nil)
	if err != nil {
		return nil, err
	}
	took := time.Duration(first.TookSeconds * float64(time.Second))
	return []Row{
		{
			What:     fmt.Sprintf("snapshot of %d audit rows and %d memories", first.NewRows, first.Memories),
			Measured: ms(took), Budget: "< 10 s", Met: verdict(took < 10*time.Second), N: 1,
		},
		{What: "the file", Measured: fmt.Sprintf("%.0f MB", float64(first.Bytes)/1e6)},
		{What: "a snapshot with nothing new in the audit", Measured: ms(time.Duration(again.TookSeconds * float64(time.Second))), N: 1},
	}, nil
}

// askBoth asks a question of the snapshot and of PostgreSQL in turns.
func askBoth(ctx context.Context, q question, reader *analytics.Reader, conn *pgx.Conn) (Row, error) {
	duck := func(int) (time.Duration, error) {
		return timed(func() error {
			_, _, err := reader.Query(ctx, "from "+q.view, 0)
			return err
		})
	}
	ledger := func(int) (time.Duration, error) {
		return timed(func() error {
			rows, err := conn.Query(ctx, q.postgres)
			if err != nil {
				return err
			}
			for rows.Next() {
				if _, err := rows.Values(); err != nil {
					rows.Close()
					return err
				}
			}
			return rows.Err()
		})
	}
	took, err := inTurns(ctx, questionRounds, 0, duck, ledger)
	if err != nil {
		return Row{}, err
	}
	return ratioRow("view "+q.view, took[0].p50(), "PostgreSQL", took[1].p50(), 0, questionRounds), nil
}
