package temporal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

const (
	fileName    = "temporal.db"
	clusterName = "active"

	// schemaComplete is written to the file as its user_version once schema and namespace
	// are in it; Temporal's own version of the schema is in a table: see versions. A file without it is the rest of a first start that was killed; no
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
	path    string
	cfg     *config.SQL
	admin   sqlplugin.AdminDB
	answers *answers
	once    sync.Once
	quit    chan struct{}
	done    chan struct{}
}

// openDatabase creates the file with its schema and namespace if need be, or upgrades it, and
// starts its upkeep.
func openDatabase(ctx context.Context, opts Options) (*database, error) {
	path := filepath.Join(opts.Dir, fileName)
	fresh, err := prepareFile(ctx, path, opts.Logger)
	if err != nil {
		return nil, err
	}
	cfg := sqlConfig(path, opts.vfs)
	admin, err := sql.NewSQLAdminDB(sqlplugin.DbKindUnknown, cfg,
		resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db := &database{path: path, cfg: cfg, admin: admin, quit: make(chan struct{}), done: make(chan struct{})}
	if fresh {
		if err := db.create(opts); err != nil {
			return nil, errors.Join(fmt.Errorf("create %s: %w", path, err), admin.Close())
		}
	}
	if err := db.settle(opts); err != nil {
		return nil, errors.Join(err, admin.Close())
	}
	go db.upkeep(opts)
	return db, nil
}

// prepareFile leaves a file of this server's version at path, or a new empty one. It comes
// before Temporal's own connection, which is kept for the life of the process.
func prepareFile(ctx context.Context, path string, logger *slog.Logger) (fresh bool, err error) {
	state, err := inspect(ctx, path)
	if err != nil {
		return false, err
	}
	switch {
	case !state.complete:
		if err := removeDatabase(path); err != nil {
			return false, err
		}
	case state.versions != ours():
		if err := upgrade(ctx, path, state.versions, logger); err != nil {
			return false, err
		}
	}
	return touchPrivate(path)
}

// settle brings what an earlier process left in the log to the disk, and opens the log for
// those who wait for it. What a disk refused before a crash is written again by this, or
// found missing by the checksums of the log.
func (db *database) settle(opts Options) error {
	if err := db.admin.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("fold the log into %s: %w", db.path, err)
	}
	wal, err := os.OpenFile(db.path+"-wal", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", db.path, err)
	}
	if err := folder.Sync(filepath.Dir(db.path)); err != nil {
		return errors.Join(err, wal.Close())
	}
	db.answers = &answers{log: wal, sync: opts.syncLog, logger: opts.Logger}
	return nil
}

// sqlConfig says how Temporal opens the file. It keeps one connection (its default for
// SQLite), so no two of its transactions ever wait for each other's locks.
// The vfs is what SQLite reaches files through, empty for the system's own.
func sqlConfig(path, vfs string) *config.SQL {
	cfg := &config.SQL{
		PluginName:   sqliteplugin.PluginName,
		DatabaseName: (&url.URL{Path: path}).EscapedPath(), // it becomes part of a file: URI
		ConnectAttributes: map[string]string{
			"mode": "rwc",
			// Readers outside (sqlite3, a backup) neither block nor are blocked, and a
			// commit is one append.
			"journal_mode": "WAL",
			// The log waits for the disk before a checkpoint, and before an answer: see answers.
			"synchronous": "NORMAL",
			// On macOS a plain sync leaves writes in the drive, which may take a checkpoint's
			// after those that overwrite the log. Elsewhere it changes nothing.
			"checkpoint_fullfsync": "1",
			"busy_timeout":         "10000",
			// Without it, deleted workflows leave free pages the file never gives back.
			// It only takes effect before the first table is made.
			"auto_vacuum": "INCREMENTAL",
			// 8 MB of pages; the default of 2 MB re-reads, and more only costs memory.
			"cache_size": strconv.Itoa(-8 * 1024),
			// After a burst the log is cut back to 16 MB instead of staying at its largest.
			"journal_size_limit": strconv.Itoa(16 << 20),
		},
	}
	if vfs != "" {
		cfg.ConnectAttributes["vfs"] = vfs
	}
	return cfg
}

// create writes schema, namespace and versions, then marks the file as complete.
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
	if err := ours().record(db.admin.Exec); err != nil {
		return err
	}
	return db.admin.Exec(fmt.Sprintf("PRAGMA user_version = %d", schemaComplete))
}

// upkeep hands free pages back to the file system and removes old copies, until close.
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
		if err := errors.Join(db.release(), removeCopies(opts.Dir, opts.Retention)); err != nil {
			// Nobody is waiting for this, and the next round tries again.
			opts.Logger.Warn("shrink temporal's file", "error", err)
		}
	}
}

// release frees as many pages as one round of upkeep may.
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
		err = errors.Join(db.answers.close(), db.admin.Exec("PRAGMA wal_checkpoint(TRUNCATE)"), db.admin.Close())
	})
	return err
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
