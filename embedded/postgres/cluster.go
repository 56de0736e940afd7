package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/mneme-memory/mneme/embedded/internal/child"
	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// initCluster makes the cluster beside its final place and moves it there when it is
// complete, so that a kill in between leaves no half cluster.
func initCluster(ctx context.Context, bin Binaries, p *place) (err error) {
	fresh := p.data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("clear half-made cluster: %w", err)
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return fmt.Errorf("make cluster folder: %w", err)
	}
	if err := p.account.own(fresh); err != nil {
		return err
	}
	doors, files, err := p.doors(fresh)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll(files)) }()

	cmd := exec.CommandContext(ctx, bin.initdb(),
		"--pgdata="+doors[0],
		"--username="+name,
		"--encoding=UTF8",
		"--locale=C", // bytes decide the order: the same on every machine, and fast
		"--data-checksums",
		"--auth-local=peer", "--auth-host=reject", // replaced by writeConfig before the first start
		"--no-instructions")
	cmd.Dir = "/" // the caller's own folder may be closed to the server's user
	cmd.Env = serverEnv()
	cmd.ExtraFiles = files
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.account.credential()}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make cluster with %s: %w: %s", bin.initdb(), err, child.LastLines(string(out)))
	}
	if err := os.Rename(fresh, p.data); err != nil {
		return fmt.Errorf("put cluster in place: %w", err)
	}
	// initdb syncs what it makes. Should a power cut take the new name back, the next start
	// would clear the cluster as half made, with everything in it.
	return folder.Sync(filepath.Dir(p.data))
}

// serverEnv keeps PG* variables of the caller, which change what the programs do, out.
func serverEnv() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}

// writeConfig writes the three files the server reads, anew before each start: they belong
// to this program, not to the cluster's history.
func writeConfig(bin Binaries, p *place, socketDoor string) error {
	files := map[string]string{
		"postgresql.conf": settings(bin, socketDoor),
		// Whoever we are at the other end of the socket is the role that owns everything.
		"pg_hba.conf":   "local all " + name + " peer map=" + name + "\n",
		"pg_ident.conf": name + " " + quoteIdent(p.account.caller) + " " + name + "\n",
	}
	for file, text := range files {
		if err := p.replace(filepath.Join(p.data, file), text); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a file of the server's user by renaming a new one over it, so that a link
// planted there is never followed.
func (p *place) replace(path, text string) error {
	fresh := path + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("clear %s: %w", fresh, err)
	}
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	if err := p.account.own(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return nil
}

// settings is postgresql.conf: small, quiet, and safe on a power cut.
func settings(bin Binaries, socketDoor string) string {
	lines := []string{
		"listen_addresses = ''", // the socket only
		"port = " + socketPort,
		"unix_socket_directories = " + quote(socketDoor),
		"unix_socket_permissions = 0700",

		// A laptop's share. The ledger of 100,000 memories is about 200 MB, and the
		// system's own cache holds what does not fit.
		"max_connections = 50",
		"shared_buffers = '64MB'",
		"work_mem = '8MB'",
		"maintenance_work_mem = '64MB'",
		"max_wal_size = '512MB'",
		"min_wal_size = '32MB'",
		"wal_level = minimal", // nobody replicates from here
		"wal_recycle = off",   // what was deleted from the ledger is not to lie on in a segment that waits to be used again
		"max_wal_senders = 0",
		"max_worker_processes = 4",
		"jit = off", // compiling costs more than our queries

		// What is committed is on disk.
		"fsync = on",
		"synchronous_commit = on",
		"full_page_writes = on",
		"autovacuum = on",

		// Memory texts must not reach the log: no statements, no parameters, no details,
		// and no errors of clients (they quote values, and the client is told anyway).
		// LOG and FATAL, the server's own fate, are above ERROR in this order.
		"log_min_messages = log",
		"log_min_error_statement = panic",
		"log_error_verbosity = terse",
		"log_statement = none",
		"log_min_duration_statement = -1",
		"log_parameter_max_length = 0",
		"log_parameter_max_length_on_error = 0",
		"log_checkpoints = off",
		"log_autovacuum_min_duration = -1",
		"log_connections = off",
		"log_disconnections = off",
		"log_line_prefix = '%m [%p] '",
		"log_destination = stderr",
		"logging_collector = off", // stderr is the file already; a collector would be one process more

		"timezone = 'UTC'",
		"log_timezone = 'UTC'",
		"lc_messages = 'C'",
		"datestyle = 'iso, mdy'",
		"default_text_search_config = 'pg_catalog.simple'",
	}
	if runtime.GOOS == "darwin" { // its other ways to sync leave writes in the drive
		lines = append(lines, "wal_sync_method = fsync_writethrough")
	}
	if bin.Major >= 18 {
		lines = append(lines, "io_method = sync") // three worker processes less to keep
	}
	return "# Written by mneme before each start; changes here are lost.\n" + strings.Join(lines, "\n") + "\n"
}

// quote writes a string value of postgresql.conf.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteIdent writes a name of pg_ident.conf; it has no escape, and no system allows a
// quotation mark or line break in a user's name.
func quoteIdent(s string) string {
	return `"` + strings.NewReplacer(`"`, "", "\n", "", "\r", "").Replace(s) + `"`
}
