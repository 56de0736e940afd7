package cli

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/backup"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// Ledger lists the methods of the database that backup and restore call directly. All other commands
// go through workflows. A backup does not, because it can be larger than a history of Temporal should
// be, because its file belongs on the machine where the command runs, and because people need it most
// when another part of mneme is broken.
type Ledger interface {
	backup.Source
	NoteBackup(ctx context.Context, place memory.BackupPlace) error
	RestoreTarget(ctx context.Context, digest string) (memory.RestoreTarget, error)
	RestoreBackup(
		ctx context.Context, user string, b memory.Backup, rows iter.Seq2[[]byte, error], done func(int64),
	) error
	Close()
}

// backupJSON is what "mneme backup --json" prints.
type backupJSON struct {
	Path       string           `json:"path"`
	Bytes      int64            `json:"bytes"`
	FileSHA256 string           `json:"file_sha256"` // as sha256sum prints it
	SHA256     string           `json:"sha256"`      // of the content: it names the backup
	Encrypted  bool             `json:"encrypted"`
	Schema     int64            `json:"schema"`
	Model      string           `json:"model"`
	Live       int64            `json:"live"`
	Rows       int64            `json:"rows"`
	Tables     map[string]int64 `json:"tables"`
}

type backupFlags struct {
	recipients []string
	force      bool
	every, to  string
	keep       int
}

func (a *app) backup() *cobra.Command {
	var f backupFlags
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Write everything that is remembered into one file",
		Long: "Write everything that the database holds into one compressed file on this machine, as of one\n" +
			"moment, while stores and recalls go on: memories in every state with their vectors, versions\n" +
			"and links, what \"mneme undo\" needs, the audit, and the settings of config.toml that are no\n" +
			"secrets and no addresses. Keys are not in it. The file can be read by you alone, and appears\n" +
			"when it is whole. \"mneme restore-backup\" reads it.\n\n" +
			"Whoever has the file can read all memories, unless it is encrypted: --recipient takes a public\n" +
			"key of age (https://age-encryption.org), or a file with such keys.\n\n" +
			"With --every and --to, a worker writes one now and from then on by itself, into a folder of the\n" +
			"machine where it runs, and keeps the last ones. \"--every off\" ends that.",
		Example: "  mneme backup ~/mneme.backup\n  mneme backup /mnt/usb/mneme.backup --recipient age1…\n  mneme backup --every 24h --to /mnt/backups --keep 7",
		Args:    cobra.MaximumNArgs(1),
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.recipients, "recipient", nil,
		"encrypt for this public key of age, or those in a file (can be repeated)")
	fl.BoolVar(&f.force, "force", false, "replace FILE if it is there")
	fl.StringVar(&f.every, "every", "", "schedule backups: the time between two, such as 24h or 7d; off ends it")
	fl.StringVar(&f.to, "to", "", "folder for scheduled backups")
	fl.IntVar(&f.keep, "keep", 7, "how many scheduled backups are kept")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.every != "" && len(args) > 0:
			return memory.Errorf(memory.Invalid, "leave one out",
				"a backup goes into FILE now, or with --every into the folder of --to")
		case f.every != "":
			return a.backupEvery(cmd, f)
		case len(args) == 0 || f.to != "":
			return memory.Errorf(memory.Invalid, `write "mneme backup FILE", or "mneme backup --every 24h --to FOLDER"`,
				"nobody says where the backup goes")
		}
		return a.withLedger(cmd.Context(), func(cfg config.Config, l Ledger) error {
			return a.runBackup(cmd.Context(), cfg, l, args[0], f)
		})
	}
	return cmd
}

// withLedger opens the database that mneme uses and calls do.
func (a *app) withLedger(ctx context.Context, do func(config.Config, Ledger) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if a.deps.Ledger == nil {
		return memory.Errorf(memory.Internal, "", "this program knows no database")
	}
	if a.deps.Autostart != nil {
		if err := a.deps.Autostart(ctx, cfg, func(text string) { a.note("%s", text) }); err != nil {
			return err
		}
	}
	l, err := a.deps.Ledger(ctx, cfg)
	if err != nil {
		return err
	}
	defer l.Close()
	return do(cfg, l)
}

func (a *app) runBackup(ctx context.Context, cfg config.Config, l Ledger, path string, f backupFlags) error {
	w, err := a.writeBackup(ctx, cfg, l, path, f)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(backupJSONOf(w))
	}
	if err := a.printf("backed up %s (%s in %d tables) to %s, %s\nsha256 %s\n",
		memories(int(w.Head.Live)), plural(int(w.Head.Rows()), "row", "rows"),
		len(w.Head.Tables), printable(path), size(w.Bytes), w.FileSHA256); err != nil {
		return err
	}
	if !w.Encrypted {
		a.note("the file holds the text of every memory; only you can read it here, so keep it so elsewhere, or encrypt it with --recipient")
	}
	return nil
}

// writeBackup writes the file, with a bar, and notes in the database where it is.
func (a *app) writeBackup(ctx context.Context, cfg config.Config, l Ledger, path string, f backupFlags) (backup.Written, error) {
	recipients, err := backup.Recipients(a.absAll(f.recipients))
	if err != nil {
		return backup.Written{}, err
	}
	rows := a.rowBar()
	w, err := backup.Create(ctx, l, backup.Options{
		Path: a.abs(path), Replace: f.force, Recipients: recipients,
		Version: a.versionText(), Settings: cfg.Portable(), Progress: rows.at,
	})
	rows.finish()
	if err == nil {
		a.notePlace(ctx, l, w)
	}
	return w, err
}

// notePlace notes in the database where the backup was written. If that fails, it prints a note and
// the command goes on, because the backup itself is complete.
func (a *app) notePlace(ctx context.Context, l Ledger, w backup.Written) {
	host, err := os.Hostname()
	if err == nil {
		err = l.NoteBackup(ctx, memory.BackupPlace{Path: w.Path, Host: host, At: a.sys.Now()})
	}
	if err != nil {
		a.note("the backup is there, but where it is could not be noted: %v", err)
	}
}

func backupJSONOf(w backup.Written) backupJSON {
	return backupJSON{
		Path: w.Path, Bytes: w.Bytes, FileSHA256: w.FileSHA256, SHA256: w.SHA256, Encrypted: w.Encrypted,
		Schema: w.Head.Schema, Model: w.Head.Model, Live: w.Head.Live, Rows: w.Head.Rows(), Tables: tableRows(w.Head),
	}
}

// tableRows counts the rows by table.
func tableRows(head memory.BackupHead) map[string]int64 {
	out := make(map[string]int64, len(head.Tables))
	for _, t := range head.Tables {
		out[t.Name] = t.Rows
	}
	return out
}

// abs is a path as the user meant it in the folder where the command runs.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.sys.Dir, path)
}

// absAll is abs for all that are no keys of age.
func (a *app) absAll(given []string) []string {
	out := make([]string, len(given))
	for i, g := range given {
		out[i] = g
		if !backup.IsRecipient(g) {
			out[i] = a.abs(g)
		}
	}
	return out
}

// rowBar is a bar over rows whose number is known when the first report comes.
type rowBar struct {
	app  *app
	bar  *bar
	done int64
}

func (a *app) rowBar() *rowBar { return &rowBar{app: a} }

// at says that so many of so many rows are done.
func (r *rowBar) at(done, total int64) {
	if total == 0 {
		return
	}
	if r.bar == nil {
		r.bar = r.app.bar(int(total))
	}
	r.bar.add(int(done - r.done))
	r.done = done
}

func (r *rowBar) finish() {
	if r.bar != nil {
		r.bar.finish()
	}
}

// size is a number of bytes as people read it.
func size(bytes int64) string {
	const step = 1000
	units := []string{"kB", "MB", "GB", "TB"}
	if bytes < step {
		return plural(int(bytes), "byte", "bytes")
	}
	value, unit := float64(bytes)/step, 0
	for value >= step && unit < len(units)-1 {
		value, unit = value/step, unit+1
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
