package postgres

import (
	"os"
	"path/filepath"
	"testing"
)

// The library's log is open in this process; another program's is not.
func TestRemoveLogs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ours, err := os.CreateTemp("", "embedded_postgres_log")
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	others := filepath.Join(dir, "embedded_postgres_log1")
	if err := os.WriteFile(others, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	removeLogs()
	if _, err := os.Stat(ours.Name()); !os.IsNotExist(err) {
		t.Errorf("ours is still there: %v", err)
	}
	if _, err := os.Stat(others); err != nil {
		t.Errorf("another program's is gone: %v", err)
	}
}
