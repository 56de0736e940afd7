// Package postgres keeps the ledger in PostgreSQL: the memories, every change
// of them, and the workflow step behind each change.
//
// An exported method owns one transaction; the unexported functions it calls
// work in it. Three kinds of locks keep concurrent steps apart, always taken
// in this order: the op (so that a step that runs twice at once waits for
// itself), the (project, collection) pairs whose texts must stay unique, and
// the (project, session) pairs in which positions are given out. Rows are
// locked after that, in the order of their ids where there are many. What
// still deadlocks is tried again.
package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of a connection's life. Statements wait for locks too, so their
// bound is far above what any of them takes by itself.
const (
	defaultMaxConns  = 16
	connectTimeout   = 5 * time.Second
	statementTimeout = "30s"
	idleInTxTimeout  = "5min"
	slowTimeout      = "10min" // for what touches a whole table
	connIdle         = 5 * time.Minute
	healthCheck      = 15 * time.Second
)

// Options say where the ledger is.
type Options struct {
	// URL is a PostgreSQL connection string. Required.
	URL string
	// MaxConns bounds the connections. Zero means 16.
	MaxConns int32
	// Logger is told about migrations and repeated transactions. Nil means nowhere.
	Logger *slog.Logger
	// Now is the clock for audit rows and confirmations. Nil means time.Now.
	Now func() time.Time
	// Document and Query make the terms of a text and of a question, as the index has them: by
	// term in ascending order, with their weights. Without them the past is searched by vectors alone.
	Document, Query func(text string) (terms []uint32, weights []float32)
}

// Ledger is the ledger. Its methods are safe for concurrent use.
type Ledger struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	now  func() time.Time

	document, query func(text string) ([]uint32, []float32) // see Options

	identity atomic.Pointer[string] // once it was read

	growth struct {
		sync.Mutex
		since, last int // memories imported since the last look at the table, and before it
	}
}

// Open prepares a ledger. It does not connect: a server that is down is
// reported by the first method that needs it, and one that comes back is used
// again. Call [Ledger.Migrate] once before anything else, and Close at the end.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	cfg, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		// pgx takes the password out of what it quotes, but quotes the rest.
		return nil, memory.Errorf(memory.Invalid, hintURL, "read the PostgreSQL URL: %w", err)
	}
	cfg.MaxConns = defaultMaxConns
	if o.MaxConns > 0 {
		cfg.MaxConns = o.MaxConns
	}
	cfg.MaxConnIdleTime, cfg.HealthCheckPeriod = connIdle, healthCheck
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		"application_name":                    "mneme",
		"statement_timeout":                   statementTimeout,
		"idle_in_transaction_session_timeout": idleInTxTimeout,
	} {
		if _, given := cfg.ConnConfig.RuntimeParams[name]; !given {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("make the PostgreSQL pool: %w", err)
	}
	l := &Ledger{pool: pool, log: o.Logger, now: o.Now, document: o.Document, query: o.Query}
	if l.document == nil || l.query == nil {
		none := func(string) ([]uint32, []float32) { return nil, nil }
		l.document, l.query = none, none
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.now == nil {
		l.now = time.Now
	}
	return l, nil
}

// Close waits for running methods and closes all connections.
func (l *Ledger) Close() { l.pool.Close() }

// Ping reports whether the server answers.
func (l *Ledger) Ping(ctx context.Context) error { return l.wrap("ask PostgreSQL", l.pool.Ping(ctx)) }

// moment is a time with PostgreSQL's precision, so that a returned value and a
// value read back are equal.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
