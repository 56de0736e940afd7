package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/backup"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// restoreJSON is what "mneme restore-backup --json" prints.
type restoreJSON struct {
	Path      string           `json:"path"`
	DryRun    bool             `json:"dry_run"`
	SHA256    string           `json:"sha256"` // of the content, which agrees with what the file says
	Encrypted bool             `json:"encrypted"`
	WrittenBy string           `json:"written_by"`
	WrittenAt time.Time        `json:"written_at"`
	Ledger    string           `json:"ledger"` // identity of the one that was backed up
	Schema    int64            `json:"schema"`
	Model     string           `json:"model"`
	Live      int64            `json:"live"`
	Rows      int64            `json:"rows"`
	Tables    map[string]int64 `json:"tables"`

	HomeSchema int64  `json:"home_schema"`
	HomeEmpty  bool   `json:"home_empty"`
	HomeHolds  string `json:"home_holds,omitempty"`
	Already    bool   `json:"already"`  // this backup was restored here before
	Restored   bool   `json:"restored"` // it is in the home now, compared by its digests
	IndexEqual bool   `json:"index_equal"`
	Settings   bool   `json:"settings"` // config.toml was written
}

type restoreFlags struct {
	identities []string
	dryRun     bool
}

func (a *app) restoreBackup() *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:   "restore-backup FILE",
		Short: "Fill an empty home from a backup",
		Long: "Read a file of \"mneme backup\" into a home that holds no memories yet, on this machine or\n" +
			"another. The file is first read as a whole and compared with its digests; then everything is\n" +
			"written in one transaction and compared again, so that a restore that is interrupted leaves\n" +
			"the home as empty as it was. At the end the index is filled and compared. A restore that was interrupted\n" +
			"after that transaction goes on when the command is run again.\n\n" +
			"The home keeps its own identity and keys. A backup of an older mneme is brought up to date.",
		Example: "  mneme restore-backup ~/mneme.backup --dry-run\n  mneme restore-backup mneme.backup --identity key.txt",
		Args:    cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.identities, "identity", nil,
		"file with a secret key of age, for an encrypted backup (can be repeated)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "check the file and say what would be restored, change nothing")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.runRestoreBackup(cmd.Context(), args[0], f)
	}
	return cmd
}

func (a *app) runRestoreBackup(ctx context.Context, path string, f restoreFlags) error {
	for i := range f.identities {
		f.identities[i] = a.abs(f.identities[i])
	}
	identities, err := backup.Identities(f.identities)
	if err != nil {
		return err
	}
	file, err := backup.Open(a.abs(path), identities)
	if err != nil {
		return err
	}
	defer file.Close()
	a.note("checking %s (%s)", printable(path), size(file.Bytes()))
	rows := a.rowBar()
	b, err := file.Check(ctx, rows.at)
	rows.finish()
	if err != nil {
		return err
	}
	return a.withLedger(ctx, func(cfg config.Config, l Ledger) error {
		target, err := l.RestoreTarget(ctx, b.SHA256)
		if err != nil {
			return err
		}
		r := restoreOf(a.abs(path), file.Encrypted(), b, target)
		if r.DryRun = f.dryRun; f.dryRun {
			return a.printRestoreDry(b, target, r)
		}
		if err := refuseRestore(b, target); err != nil {
			return err
		}
		return a.restoreAll(ctx, cfg, l, file, b, r)
	})
}

func restoreOf(path string, encrypted bool, b memory.Backup, t memory.RestoreTarget) restoreJSON {
	h := b.Head
	return restoreJSON{
		Path: path, SHA256: b.SHA256, Encrypted: encrypted,
		WrittenBy: h.Version, WrittenAt: h.CreatedAt, Ledger: h.Ledger,
		Schema: h.Schema, Model: h.Model, Live: h.Live, Rows: h.Rows(), Tables: tableRows(h),
		HomeSchema: t.Schema, HomeEmpty: t.Empty, HomeHolds: t.Found, Already: t.Restored,
	}
}

// refuseRestore says why a backup cannot be restored; one that was restored already is gone on with.
func refuseRestore(b memory.Backup, t memory.RestoreTarget) error {
	if err := b.Head.Fits(t.Schema); err != nil {
		return err
	}
	if !t.Empty && !t.Restored {
		return memory.Errorf(memory.Conflict,
			"restore into a new home: set MNEME_HOME to a new folder for \"mneme up --detach\" and for this command; to add memories to these, use \"mneme export\" and \"mneme import\"",
			"the home is not empty: it has %s", t.Found)
	}
	return nil
}

// restoreAll fills the ledger, then the index, and proves both.
func (a *app) restoreAll(
	ctx context.Context, cfg config.Config, l Ledger, file *backup.File, b memory.Backup, r restoreJSON,
) error {
	client, err := a.deps.Dial(ctx, cfg) // who cannot fill the index should not begin
	if err != nil {
		return err
	}
	defer client.Close()
	if r.Already {
		a.note("this backup is in the home already; comparing the index with it")
	} else {
		rows := a.rowBar()
		total := b.Head.Rows()
		err := l.RestoreBackup(ctx, cfg.User, b, file.Rows(ctx), func(done int64) { rows.at(done, total) })
		rows.finish()
		if err != nil {
			return err
		}
	}
	r.Restored = true
	if r.Settings, err = config.WritePortable(cfg.Home, b.Head.Settings); err != nil {
		a.note("the settings were not restored: %v", err)
	}
	var report memory.RebuildReport
	err = a.patiently(ctx, client, func() (err error) {
		report, err = client.Rebuild(ctx, memory.RebuildInput{Check: true, User: cfg.User}, a.rebuildProgress())
		return err
	})
	if err != nil {
		return fmt.Errorf("everything is restored, and the index is not filled yet (the same command goes on): %w", err)
	}
	r.IndexEqual = report.Equal
	return a.printRestored(cfg, b, r)
}

func (a *app) printRestored(cfg config.Config, b memory.Backup, r restoreJSON) error {
	var err error
	if a.json {
		err = a.printJSON(r)
	} else if r.Already {
		err = a.printf("the index was compared with the database\n")
	} else {
		err = a.printf("restored %s (%s), compared by SHA-256\n",
			memories(int(r.Live)), plural(int(r.Rows), "row", "rows"))
	}
	if err != nil {
		return err
	}
	if r.Settings {
		a.note("config.toml was written with the settings of the backup; they hold after \"mneme down\" and \"mneme up\"")
	} else if len(b.Head.Settings) > 0 && !r.Already {
		a.note("the settings of the backup were left out, because this home has a config.toml: %s",
			oneLine(settingsText(b.Head.Settings), 400))
	}
	if d, ready, err := homestate.Running(cfg.Home); err == nil && ready && b.Head.Model != "" && d.Model != b.Head.Model {
		a.note("the vectors are of the model %s, and this home uses %s: recalls go by keywords until you set MNEME_EMBED_MODEL=%s and restart, or run \"mneme rebuild\", which embeds everything anew",
			oneLine(b.Head.Model, 100), d.Model, oneLine(b.Head.Model, 100))
	}
	if !r.IndexEqual {
		return memory.Errorf(memory.Internal, `run "mneme rebuild"; if it stays so, "mneme doctor" may tell more`,
			"everything is restored, but index and database are not equal")
	}
	return nil
}

func settingsText(settings map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		parts = append(parts, name+" = "+settings[name])
	}
	return strings.Join(parts, ", ")
}

// printRestoreDry says what is in a backup and whether it would be restored.
func (a *app) printRestoreDry(b memory.Backup, t memory.RestoreTarget, r restoreJSON) error {
	refused := refuseRestore(b, t)
	if a.json {
		if err := a.printJSON(r); err != nil {
			return err
		}
		return refused
	}
	lines := [][]string{
		{"file", fmt.Sprintf("%s, whole: its digest is %.16s…", printable(r.Path), r.SHA256)},
		{"written", fmt.Sprintf("%s by mneme %s", a.date(r.WrittenAt), oneLine(r.WrittenBy, 60))},
		{"of the ledger", oneLine(r.Ledger, 60)},
		{"schema", fmt.Sprintf("%d, here %d", r.Schema, r.HomeSchema)},
		{"model", orText(oneLine(r.Model, 100), "-")},
		{"memories", fmt.Sprint(r.Live)},
	}
	for _, table := range b.Head.Tables {
		lines = append(lines, []string{"  " + oneLine(table.Name, 60), plural(int(table.Rows), "row", "rows")})
	}
	if len(b.Head.Settings) > 0 {
		lines = append(lines, []string{"settings", oneLine(settingsText(b.Head.Settings), 400)})
	}
	home := "empty: it would be restored"
	switch {
	case t.Restored:
		home = "has this backup already: the index would be compared with it"
	case !t.Empty:
		home = "not empty: it has " + t.Found
	}
	if err := table(a.sys.Stdout, append(lines, []string{"this home", home})); err != nil {
		return err
	}
	return refused
}
