package purge

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// backupsOf names the backups that were written before a time and may hold the texts: nobody can
// take a text out of a backup. The files of this machine are looked for, and left out when they are gone.
func backupsOf(places []memory.BackupPlace, before time.Time) []memory.Unreached {
	host, _ := os.Hostname() // without a name nothing is of this machine
	var out []memory.Unreached
	name := func(path string, at time.Time, until string) {
		out = append(out, memory.Unreached{
			What: fmt.Sprintf("the backup %s of %s", path, at.UTC().Format("2006-01-02 15:04")), Until: until,
		})
	}
	for _, p := range places {
		here := p.Host == host
		switch {
		case p.Every != "" && here:
			eachBackup(p.Path, before, func(path string, at time.Time) {
				name(path, at, "a newer scheduled backup takes its place, or you delete it")
			})
		case p.Every != "":
			name(p.Path+" on "+p.Host+", where others lie beside it,", p.At, "scheduled backups have taken their place, or you delete them")
		case p.At.After(before):
		case !here:
			name(p.Path+" on "+p.Host, p.At, "you delete it")
		case exists(p.Path):
			name(p.Path, p.At, "you delete it")
		}
	}
	return out
}

// eachBackup finds the scheduled backups in a folder that were written before a time.
func eachBackup(dir string, before time.Time, found func(path string, at time.Time)) {
	entries, _ := os.ReadDir(dir) // a folder that is gone holds none
	for _, e := range entries {
		ours, _ := filepath.Match("mneme-*.backup", e.Name()) // the pattern is right
		info, err := e.Info()
		if ours && err == nil && info.Mode().IsRegular() && !info.ModTime().After(before) {
			found(filepath.Join(dir, e.Name()), info.ModTime())
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
