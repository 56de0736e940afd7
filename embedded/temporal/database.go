package temporal

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives/timestamp"
	"go.temporal.io/server/common/resolver"
	sqliteschema "go.temporal.io/server/schema/sqlite"
)

const (
	fileName    = "temporal.db"
	clusterName = "active"

	// schemaComplete is written to the file as its user_version once schema and namespace
	// are in it. A file without it is the rest of a first start that was killed; no
	// server ever ran on it, so it is thrown away.
	schemaComplete = 1

	// Free pages go back to the file system this often, this many at a time (4 KB each):
	// in small steps, because Temporal's only connection waits meanwhile.
	defaultUpkeepInterval = 5 * time.Minute
	pagesPerStep          = 500
	stepsPerUpkeep        = 40
)

// database is Temporal's SQLite file and the upkeep that lets it shrink.
type database struct {
	cfg   *config.SQL
	admin sqlplugin.AdminDB
	once  sync.Once
	quit  chan struct{}
	done  chan struct{}
}

// openDatabase creates the file with its schema and namespace if need be, and starts its upkeep.
func openDatabase(ctx context.Context, opts Options) (*database, error) {
	path := filepath.Join(opts.Dir, fileName)
	if err := discardHalfMade(ctx, path); err != nil {
		return nil, err
	}
	fresh, err := touchPrivate(path)
	if err != nil {
		return nil, err
	}

	cfg := sqlConfig(path, opts.Fsync)
	admin, err := sql.NewSQLAdminDB(sqlplugin.DbKindUnknown, cfg,
		resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db := &database{cfg: cfg, admin: admin, quit: make(chan struct{}), done: make(chan struct{})}
	if fresh {
		if err := db.create(opts); err != nil {
			return nil, errors.Join(fmt.Errorf("create %s: %w", path, err), admin.Close())
		}
	}
	go db.upkeep(opts)
	return db, nil
}

// sqlConfig says how Temporal opens the file. It keeps one connection (its default for
// SQLite), so no two of its transactions ever wait for each other's locks.
func sqlConfig(path string, fsync bool) *config.SQL {
	synchronous := "NORMAL"
	if fsync {
		synchronous = "FULL"
	}
	return &config.SQL{
		PluginName:   sqliteplugin.PluginName,
		DatabaseName: (&url.URL{Path: path}).EscapedPath(), // it becomes part of a file: URI
		ConnectAttributes: map[string]string{
			"mode": "rwc",
			// Readers outside (sqlite3, a backup) neither block nor are blocked, and a
			// commit is one append.
			"journal_mode": "WAL",
			"synchronous":  synchronous,
			"busy_timeout": "10000",
			// Without it, deleted workflows leave free pages the file never gives back.
			// It only takes effect before the first table is made.
			"auto_vacuum": "INCREMENTAL",
			// 8 MB of pages; the default of 2 MB re-reads, and more only costs memory.
			"cache_size": strconv.Itoa(-8 * 1024),
			// After a burst the log is cut back to 16 MB instead of staying at its largest.
			"journal_size_limit": strconv.Itoa(16 << 20),
		},
	}
}

// create writes schema and namespace, then marks the file as complete.
func (db *database) create(opts Options) error {
	if err := sqliteschema.SetupSchemaOnDB(db.admin); err != nil {
		return fmt.Errorf("write schema: %w", err)
	}
	ns, err := sqliteschema.NewNamespaceConfig(clusterName, opts.Namespace, false, opts.SearchAttributes)
	if err != nil {
		return fmt.Errorf("describe namespace %s: %w", opts.Namespace, err)
	}
	ns.Detail.Config.Retention = timestamp.DurationPtr(opts.Retention)
	if err := sqliteschema.CreateNamespaces(db.cfg, ns); err != nil {
		return fmt.Errorf("write namespace %s: %w", opts.Namespace, err)
	}
	return db.admin.Exec(fmt.Sprintf("PRAGMA user_version = %d", schemaComplete))
}

// upkeep hands free pages back to the file system until close.
func (db *database) upkeep(opts Options) {
	defer close(db.done)
	tick := time.NewTicker(opts.upkeepInterval)
	defer tick.Stop()
	for {
		select {
		case <-db.quit:
			return
		case <-tick.C:
		}
		if err := db.release(); err != nil {
			// Nobody is waiting for this, and the next round tries again.
			opts.Logger.Warn("shrink temporal's file", "error", err)
		}
	}
}

// release frees what one round of upkeep may.
func (db *database) release() error {
	for range stepsPerUpkeep {
		select {
		case <-db.quit:
			return nil
		default:
		}
		if err := db.admin.Exec(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesPerStep)); err != nil {
			return fmt.Errorf("release pages: %w", err)
		}
	}
	return nil
}

// close ends the upkeep and folds the log into the file. Temporal keeps its connection for
// the life of the process (its pool says so), and a new Start on the same file reuses it.
func (db *database) close() error {
	var err error
	db.once.Do(func() {
		close(db.quit)
		<-db.done
		err = errors.Join(db.admin.Exec("PRAGMA wal_checkpoint(TRUNCATE)"), db.admin.Close())
	})
	return err
}

// discardHalfMade removes a file whose creation was cut short.
func discardHalfMade(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	version, err := userVersion(ctx, path)
	if err != nil {
		return err
	}
	if version == schemaComplete {
		return nil
	}
	if version > schemaComplete {
		return fmt.Errorf("open %s: it was written by a newer version (%d)", path, version)
	}
	for _, suffix := range []string{"-shm", "-wal", ""} { // the file itself last: it is the sign to do this
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove half-made file: %w", err)
		}
	}
	return nil
}

// userVersion reads the mark through SQLite, because it may still be in the log.
func userVersion(ctx context.Context, path string) (version int, err error) {
	db, err := gosql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw")
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return version, nil
}

// touchPrivate makes the file before SQLite does, so that it and the log beside it, which
// takes over its mode, are never readable by others. It reports whether the file is new.
func touchPrivate(path string) (fresh bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, os.Chmod(path, 0o600)
	}
	if err != nil {
		return false, fmt.Errorf("make database file: %w", err)
	}
	return true, f.Close()
}
