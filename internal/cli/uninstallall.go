package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/install"
	"github.com/mneme-memory/mneme/memory"
)

// everything are the flags of "mneme uninstall --all".
type everything struct {
	all, memories, noBackup bool
	backup                  string
}

func (e *everything) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&e.all, "all", false, "also stop mneme, and say what else to delete")
	fl.BoolVar(&e.memories, "delete-memories", false, "with --all: delete the data folder with all memories; wants --backup or --no-backup")
	fl.StringVar(&e.backup, "backup", "", "with --delete-memories: write a backup to this file first")
	fl.BoolVar(&e.noBackup, "no-backup", false, "with --delete-memories: delete them without a backup")
	cmd.MarkFlagsMutuallyExclusive("backup", "no-backup")
	cmd.MarkFlagsMutuallyExclusive("all", "scope")
}

// check refuses what does not go together.
func (e *everything) check(home, backup string) error {
	switch {
	case (e.memories || e.backup != "" || e.noBackup) && !e.all:
		return memory.Errorf(memory.Invalid, "mneme uninstall --all --delete-memories --backup FILE", "these flags need --all")
	case e.memories && e.backup == "" && !e.noBackup:
		return memory.Errorf(memory.Invalid, "add --backup FILE, which \"mneme restore-backup\" reads, or --no-backup",
			"deleting the memories cannot be undone, and nobody says whether to back them up")
	case !e.memories && (e.backup != "" || e.noBackup):
		return memory.Errorf(memory.Invalid, "mneme backup FILE writes a backup at any time", "--backup and --no-backup belong to --delete-memories")
	}
	if inside, err := filepath.Rel(home, backup); e.backup != "" && err == nil && !strings.HasPrefix(inside, "..") {
		return memory.Errorf(memory.Invalid, "choose a file elsewhere", "the backup would be deleted with the data folder")
	}
	return nil
}

// uninstallAllJSON is what "mneme uninstall --all --json" prints.
type uninstallAllJSON struct {
	Done     bool         `json:"done"` // false with --dry-run
	Removed  []string     `json:"removed"`
	Changes  []changeJSON `json:"changes"`  // of the user's files
	Stops    int          `json:"stops"`    // process, 0 if mneme does not run
	Deletes  string       `json:"deletes"`  // data folder, or ""
	Backup   string       `json:"backup"`   // file, or ""
	Programs string       `json:"programs"` // folder in which they stay
}

// uninstallAll disconnects Claude Code, stops mneme and, if that was said, deletes the memories, in
// this order: memories are deleted last, and not at all after a failure.
func (a *app) uninstallAll(ctx context.Context, cfg config.Config, r *install.Removal, e everything, dryRun, yes bool) error {
	backup := ""
	if e.backup != "" {
		backup = a.abs(e.backup)
	}
	if err := e.check(cfg.Home, backup); err != nil {
		return err
	}
	res := uninstallAllJSON{Removed: list(r.Connections), Changes: changesJSON(r.Changes), Backup: backup}
	var err error
	if res.Stops, err = homestate.Holder(cfg.Home); err != nil {
		return err
	}
	if exe, err := a.sys.Executable(); err == nil {
		res.Programs = filepath.Dir(exe)
	}
	question := "Uninstall mneme? The memories stay."
	if e.memories {
		if err := homestate.CheckRemovable(cfg.Home); err != nil {
			return err
		}
		res.Deletes, question = cfg.Home, "Uninstall mneme and DELETE ALL MEMORIES?"
	}
	if err := a.showUninstallAll(cfg.Home, r, res); err != nil {
		return err
	}
	if dryRun {
		return a.printUninstalledAll(res, "nothing was changed\n")
	}
	if sure, err := a.confirm(ctx, yes, question); err != nil || !sure {
		return err
	}
	if err := a.carryOut(ctx, cfg, r, res); err != nil {
		return err
	}
	res.Done = true
	return a.printUninstalledAll(res, "mneme is uninstalled\n")
}

// carryOut does what was shown.
func (a *app) carryOut(ctx context.Context, cfg config.Config, r *install.Removal, res uninstallAllJSON) error {
	if res.Backup != "" {
		err := a.withLedger(ctx, func(cfg config.Config, l Ledger) error {
			_, err := a.writeBackup(ctx, cfg, l, res.Backup, backupFlags{})
			return err
		})
		if err != nil {
			return err
		}
	}
	if !r.Empty() {
		if err := r.Apply(ctx); err != nil {
			return err
		}
	}
	pid, err := homestate.Holder(cfg.Home) // a backup may have started it
	if err == nil && pid != 0 {
		err = a.stop(ctx, cfg.Home, pid, time.Minute)
	}
	if err != nil || res.Deletes == "" {
		return err
	}
	return homestate.RemoveHome(res.Deletes)
}

// showUninstallAll says to a person what will be done.
func (a *app) showUninstallAll(home string, r *install.Removal, res uninstallAllJSON) error {
	if a.json {
		return nil
	}
	words := "Claude Code is not connected by this mneme"
	if !r.Empty() {
		words = "to be removed from Claude Code: " + strings.Join(r.Connections, "; ")
	}
	if err := a.showChanges(r.Changes, words); err != nil {
		return err
	}
	if res.Stops != 0 {
		words = fmt.Sprintf("to be stopped: mneme, process %d\n", res.Stops)
	} else {
		words = "mneme does not run\n"
	}
	if res.Backup != "" {
		words += "to be written first: a backup, " + printable(res.Backup) + "\n"
	}
	if res.Deletes != "" {
		words += "TO BE DELETED: " + printable(res.Deletes) + " with all memories, settings, keys and logs\n"
	} else {
		words += "stays: the data folder " + printable(home) + " with all memories (--delete-memories deletes it)\n"
	}
	return a.printf("%sstays: the programs in %s; delete mneme, mneme-hook, mneme-mcp and mneme-worker there, or as they were installed (brew, npm)\n",
		words, printable(res.Programs))
}

func (a *app) printUninstalledAll(res uninstallAllJSON, text string) error {
	if a.json {
		return a.printJSON(res)
	}
	return a.printf("%s", text)
}
