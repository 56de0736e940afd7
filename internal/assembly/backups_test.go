package assembly

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestRemoveOld keeps the last backups of one ledger, and all that is something else.
func TestRemoveOld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	write := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for i := range 5 {
		name := fmt.Sprintf("mneme-0e5a6a4e-2026010%dT000000Z.backup", i+1)
		write(name, 0)
		if i >= 3 {
			want = append(want, name)
		}
	}
	for _, other := range []string{
		"mneme-1b7c0d2f-20200101T000000Z.backup", "mneme-0e5a6a4e-mine.backup", "notes.txt", ".mneme-0e5a6a4e-20260105T000000Z.backup123", ".hidden",
	} {
		write(other, time.Hour)
		want = append(want, other)
	}
	write(".mneme-0e5a6a4e-20250105T000000Z.backup9", 48*time.Hour) // of one that was killed
	removed, err := removeOld(dir, "mneme-0e5a6a4e-", 2, now)
	if err != nil || removed != 3 {
		t.Errorf("removed %d, %v", removed, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("left are\n%v, not\n%v", got, want)
	}
}
