package daemon_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	embeddedtemporal "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/memory"
)

// TestNewerTemporalFile starts in a home that a newer mneme used: it is left alone, and the
// user is told what to do.
func TestNewerTemporalFile(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	dir := filepath.Join(home, "temporal")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "temporal.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `PRAGMA user_version = 1;
		CREATE TABLE schema_version (version_partition INT, db_name TEXT, curr_version TEXT);
		INSERT INTO schema_version VALUES (0, 'temporal', '0.99'), (0, 'temporal_server', '1.99.0')`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	err = runOnce(t, settings(t, home, nil))
	if memory.CodeOf(err) != memory.Refused || !errors.Is(err, embeddedtemporal.ErrNewerFile) ||
		!strings.Contains(memory.HintOf(err), "newer mneme") || !strings.Contains(err.Error(), "1.99.0") {
		t.Errorf("got %v (%s)", err, memory.HintOf(err))
	}
}
