package purge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// TestBackupsAreNamed has a receipt name the backups that can hold a text, and no others.
func TestBackupsAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host, err := os.Hostname()
	check(t, err)
	done := time.Now().Add(-time.Hour)
	for name, age := range map[string]time.Duration{
		"one.backup": time.Minute, "mneme-0a0b0c0d-20260101T000000Z.backup": time.Minute,
		"mneme-0a0b0c0d-20260102T000000Z.backup": -time.Minute, "other.txt": time.Minute,
	} {
		path := filepath.Join(dir, name)
		write(t, path, "x")
		check(t, os.Chtimes(path, done.Add(-age), done.Add(-age)))
	}
	got := backupsOf([]memory.BackupPlace{
		{Path: filepath.Join(dir, "one.backup"), Host: host, At: done.Add(-time.Minute)},
		{Path: filepath.Join(dir, "gone.backup"), Host: host, At: done.Add(-time.Minute)},
		{Path: filepath.Join(dir, "later.backup"), Host: "elsewhere", At: done.Add(time.Minute)},
		{Path: "/b/far.backup", Host: "elsewhere", At: done.Add(-time.Minute)},
		{Path: dir, Host: host, At: done, Every: "24h"},
		{Path: "/b", Host: "elsewhere", At: done, Every: "24h"},
	}, done)
	want := []string{filepath.Join(dir, "one.backup"), "/b/far.backup on elsewhere", filepath.Join(dir, "mneme-0a0b0c0d-20260101T000000Z.backup"), "/b on elsewhere"}
	if len(got) != len(want) {
		t.Fatalf("named are %+v, want %q", got, want)
	}
	for i, w := range want {
		if !strings.Contains(got[i].What, w) || got[i].Until == "" {
			t.Errorf("%d: %+v, want %s", i, got[i], w)
		}
	}
}
