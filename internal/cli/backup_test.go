package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// fakeLedger is a database of a few rows.
type fakeLedger struct {
	target   memory.RestoreTarget
	restored []string
	noted    []memory.BackupPlace
	fail     error
}

func (l *fakeLedger) Backup(_ context.Context, begin func(memory.BackupHead) error, row func([]byte) error) error {
	err := begin(memory.BackupHead{
		Format: memory.BackupFormat, Schema: 6, CreatedAt: day(3), Ledger: idA, Model: "mneme-static", Dimension: 256, Live: 2,
		Tables: []memory.BackupTable{{Name: "memories", Columns: []string{"id"}, Rows: 2}, {Name: "settings", Columns: []string{"key"}, Rows: 1}},
	})
	for _, line := range []string{`{"id":1}`, `{"id":2}`, `{"key":"k"}`} {
		if err == nil {
			err = row([]byte(line))
		}
	}
	return errors.Join(err, l.fail)
}

func (l *fakeLedger) NoteBackup(_ context.Context, p memory.BackupPlace) error {
	l.noted = append(l.noted, p)
	return nil
}

func (l *fakeLedger) RestoreTarget(context.Context, string) (memory.RestoreTarget, error) {
	return l.target, nil
}

func (l *fakeLedger) RestoreBackup(_ context.Context, _ string, _ memory.Backup, rows iter.Seq2[[]byte, error], done func(int64)) error {
	for line, err := range rows {
		if err != nil {
			return err
		}
		l.restored = append(l.restored, string(line))
		done(int64(len(l.restored)))
	}
	return l.fail
}

func (l *fakeLedger) Close() {}

// scriptLedger is the database of the scripts: empty, or with something in it.
func scriptLedger(context.Context, config.Config) (Ledger, error) {
	t := memory.RestoreTarget{Schema: 6, Empty: true}
	switch os.Getenv("FAKE_HOME") {
	case "full":
		t.Empty, t.Found = false, "3 rows of memories"
	case "restored":
		t.Empty, t.Found, t.Restored = false, "2 rows of memories", true
	case "old":
		t.Schema = 5
	}
	return &fakeLedger{target: t}, nil
}

func backupSession(t *testing.T, l *fakeLedger, c fake) *session {
	t.Helper()
	s := newSession(t, c)
	s.deps.Ledger = func(context.Context, config.Config) (Ledger, error) { return l, nil }
	return s
}

func equal(memory.RebuildInput, func(memory.RebuildReport)) (memory.RebuildReport, error) {
	return memory.RebuildReport{Done: true, Equal: true}, nil
}

func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{target: memory.RestoreTarget{Schema: 6, Empty: true}}
	var asked []memory.RebuildInput
	s := backupSession(t, l, fake{rebuild: func(in memory.RebuildInput, p func(memory.RebuildReport)) (memory.RebuildReport, error) {
		asked = append(asked, in)
		return equal(in, p)
	}})
	if err := os.WriteFile(filepath.Join(s.home, config.FileName), []byte("[hooks.session_start]\nlimit = 3\n[qdrant]\napi_key = \"very-secret\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := s.run(t.Context(), "backup", "b", "--json")
	var w backupJSON
	if err := json.Unmarshal([]byte(out), &w); err != nil || code != 0 || w.Live != 2 || w.Rows != 3 || w.Path != filepath.Join(s.dir, "b") {
		t.Fatalf("backup: %d %s%s", code, out, errs)
	}
	if len(l.noted) != 1 || l.noted[0].Path != w.Path || l.noted[0].Host == "" {
		t.Errorf("noted %+v", l.noted)
	}
	if err := os.Remove(filepath.Join(s.home, config.FileName)); err != nil {
		t.Fatal(err)
	}
	code, out, errs = s.run(t.Context(), "restore-backup", "b")
	if code != 0 || !strings.Contains(out, "restored 2 memories (3 rows), compared by SHA-256") || len(l.restored) != 3 {
		t.Fatalf("restore: %d %s%s", code, out, errs)
	}
	if len(asked) != 1 || !asked[0].Check {
		t.Errorf("the index was asked for %+v", asked)
	}
	text, err := os.ReadFile(filepath.Join(s.home, config.FileName))
	if err != nil || !strings.Contains(string(text), `hooks.session_start.limit = "3"`) || strings.Contains(string(text), "secret") {
		t.Errorf("config.toml is %q, %v", text, err)
	}
	if code, _, errs := s.run(t.Context(), "config"); code != 0 {
		t.Errorf("the settings cannot be read: %s", errs)
	}
}

// TestRestoreGoesOn has the index fail after the restore: the same command goes on, and what was
// restored is not written again.
func TestRestoreGoesOn(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{target: memory.RestoreTarget{Schema: 6, Empty: true}}
	down := true
	s := backupSession(t, l, fake{rebuild: func(in memory.RebuildInput, p func(memory.RebuildReport)) (memory.RebuildReport, error) {
		if down {
			return memory.RebuildReport{}, memory.Down("Qdrant", "start it", errors.New("does not answer"))
		}
		return equal(in, p)
	}})
	if code, _, errs := s.run(t.Context(), "backup", "b"); code != 0 {
		t.Fatal(errs)
	}
	code, _, errs := s.run(t.Context(), "restore-backup", "b")
	if code != ExitDown || !strings.Contains(errs, "everything is restored, and the index is not filled yet (the same command goes on)") {
		t.Fatalf("with the index down: %d %s", code, errs)
	}
	down, l.target = false, memory.RestoreTarget{Schema: 6, Found: "2 rows of memories", Restored: true}
	code, _, errs = s.run(t.Context(), "restore-backup", "b")
	if code != 0 || len(l.restored) != 3 {
		t.Errorf("again: %d %s, %d rows", code, errs, len(l.restored))
	}
	l.fail = errors.New("the database is gone")
	if code, _, errs := s.run(t.Context(), "backup", "c"); code != ExitUnexpected || !strings.Contains(errs, "gone") {
		t.Errorf("a backup that fails: %d %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "c")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a failed backup is there: %v", err)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	var got []string
	for _, n := range []int64{0, 1, 999, 1000, 1_250_000, 3_000_000_000, 5e15} {
		got = append(got, size(n))
	}
	if want := "[0 bytes 1 byte 999 bytes 1.0 kB 1.2 MB 3.0 GB 5000.0 TB]"; fmt.Sprint(got) != want {
		t.Errorf("got %v", got)
	}
}

func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	p := &schedule{}
	s := newSession(t, fake{backups: p})
	code, out, errs := s.run(t.Context(), "backup", "--every", "1d", "--to", "kept", "--keep", "3", "--json")
	var got planJSON
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || !got.Scheduled || got.Dir != filepath.Join(s.dir, "kept") || got.First == nil {
		t.Fatalf("schedule: %d %s%s", code, out, errs)
	}
	if p.now == nil || p.now.Every != 24*time.Hour || p.now.Keep != 3 || p.now.User == "" {
		t.Errorf("the plan is %+v", p.now)
	}
	if code, out, errs := s.run(t.Context(), "backup", "--every", "90m", "--to", "/b"); code != 0 || !strings.Contains(out, "a backup every 1h30m0s from now on, the last 7 are kept") || !strings.Contains(errs, "--recipient encrypts") {
		t.Errorf("again: %d %s%s", code, out, errs)
	}
	for _, want := range []string{"scheduled no more", "no backups were scheduled"} {
		if code, out, errs := s.run(t.Context(), "backup", "--every", "off"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("off: %d %s%s", code, out, errs)
		}
	}
	for _, bad := range [][]string{
		{"--every", "soon", "--to", "/b"},
		{"--every", "0", "--to", "/b"},
		{"--every", "1s", "--to", "/b"},
		{"--every", "99999d", "--to", "/b"},
		{"--every", "24h"},
		{"--every", "24h", "--to", "/b", "--keep", "0"},
		{"--every", "24h", "--to", "/b", "file"},
		{"--to", "/b"},
		{},
		{"--every", "24h", "--to", "/b", "--recipient", "keys.txt"},
		{"--every", "-24h", "--to", "/b"},
	} {
		if code, _, errs := s.run(t.Context(), append([]string{"backup"}, bad...)...); code != ExitUsage || !strings.Contains(errs, "hint:") {
			t.Errorf("%v: %d %s", bad, code, errs)
		}
	}
	if p.now != nil {
		t.Errorf("bad input scheduled %+v", p.now)
	}
}
