package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/backup"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// backupPlanner has workers write backups.
type backupPlanner interface {
	Backup(ctx context.Context, in memory.BackupInput, progress func(memory.BackupReport)) (memory.BackupReport, error)
	ScheduleBackups(ctx context.Context, in memory.BackupInput) error
	StopBackups(ctx context.Context) (bool, error)
	BackupPlan(ctx context.Context) (*memory.BackupPlan, error)
}

// planJSON is what "mneme backup --every … --json" prints.
type planJSON struct {
	Scheduled bool                 `json:"scheduled"`
	Every     string               `json:"every,omitempty"`
	Dir       string               `json:"dir,omitempty"`
	Keep      int                  `json:"keep,omitempty"`
	First     *memory.BackupReport `json:"first,omitempty"` // the backup that was made at once
}

// everyOff is the value of --every that ends scheduled backups.
const everyOff = "off"

// backupEvery schedules backups after one that shows that it can be done, or ends them.
func (a *app) backupEvery(cmd *cobra.Command, f backupFlags) error {
	ctx := cmd.Context()
	if f.every == everyOff {
		return a.with(ctx, func(_ config.Config, c Client) error { return a.stopBackups(ctx, c) })
	}
	every, err := parseEvery(f.every)
	if err != nil {
		return err
	}
	if f.to == "" {
		return memory.Errorf(memory.Invalid, "give the folder for them: --to FOLDER",
			"nobody says where the backups go")
	}
	for _, r := range f.recipients {
		if !backup.IsRecipient(r) {
			return memory.Errorf(memory.Invalid, "give the public key itself: age1…",
				"scheduled backups take no files of keys, which may be gone when one is due")
		}
	}
	if _, err := backup.Recipients(f.recipients); err != nil {
		return err
	}
	in := memory.BackupInput{Dir: filepath.Clean(a.abs(f.to)), Keep: f.keep, Every: every, Recipients: f.recipients}
	if err := in.Check(); err != nil {
		return err
	}
	return a.with(ctx, func(cfg config.Config, c Client) error {
		in.User = cfg.User
		return a.scheduleBackups(ctx, c, in)
	})
}

func (a *app) scheduleBackups(ctx context.Context, c Client, in memory.BackupInput) error {
	var first memory.BackupReport
	rows := a.rowBar()
	err := a.patiently(ctx, c, func() (err error) {
		first, err = c.Backup(ctx, in, func(r memory.BackupReport) { rows.at(r.Done, r.Rows) })
		return err
	})
	rows.finish()
	if err != nil {
		return err
	}
	if err := c.ScheduleBackups(ctx, in); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(planJSON{
			Scheduled: true, Every: in.Every.String(), Dir: in.Dir, Keep: in.Keep, First: &first,
		})
	}
	if err := a.printf("backed up %s to %s, %s\na backup every %s from now on, the last %d are kept\n",
		memories(int(first.Live)), printable(first.Path),
		size(first.Bytes), everyText(in.Every), in.Keep); err != nil {
		return err
	}
	a.note("the worker on %s writes them; to end this: mneme backup --every off", printable(first.Host))
	if !first.Encrypted {
		a.note("the files hold the text of every memory; --recipient encrypts them")
	}
	return nil
}

func (a *app) stopBackups(ctx context.Context, c Client) error {
	were, err := c.StopBackups(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(planJSON{})
	}
	if !were {
		return a.printf("no backups were scheduled\n")
	}
	return a.printf("backups are scheduled no more; those that were written stay\n")
}

// parseEvery reads a time between backups: of Go, or in days.
func parseEvery(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return time.Duration(n) * 24 * time.Hour, checkEvery(time.Duration(n) * 24 * time.Hour)
		}
	}
	every, err := time.ParseDuration(text)
	if err != nil {
		return 0, memory.Errorf(memory.Invalid, "give 24h or 7d, say, or off",
			"%q is no time between backups", memory.Clip(text, memory.MaxRepeated))
	}
	return every, checkEvery(every)
}

func checkEvery(every time.Duration) error {
	if every == 0 {
		every = -1 // which is no single backup here
	}
	return memory.BackupInput{Dir: "/", Keep: 1, Every: every}.Check()
}

// everyText is a time between backups as people say it.
func everyText(every time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case every%day == 0:
		return plural(int(every/day), "day", "days")
	case every%time.Hour == 0:
		return plural(int(every/time.Hour), "hour", "hours")
	}
	return every.String()
}

// planText is the line of "mneme status" about scheduled backups.
func (a *app) planText(p memory.BackupPlan) string {
	text := fmt.Sprintf("every %s to %s, the last %d kept", everyText(p.Every), printable(p.Dir), p.Keep)
	if !p.Last.IsZero() {
		text += ", last begun " + a.date(p.Last)
	}
	if !p.Next.IsZero() {
		text += ", next " + a.date(p.Next)
	}
	return text
}
