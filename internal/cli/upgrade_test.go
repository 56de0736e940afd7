package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/release"
)

// makeRelease makes a folder with a release for this machine, whose programs are scripts.
func makeRelease(t *testing.T, script string) string {
	t.Helper()
	a := release.Archive{Version: "2.0.0", Target: release.Here()}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	for _, program := range release.Programs() {
		h := &tar.Header{Name: a.Folder() + "/bin/" + program, Typeflag: tar.TypeReg, Size: int64(len(script)), Mode: 0o755}
		if err := out.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(script)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256(packed.Bytes()), a.Name())
	for name, data := range map[string][]byte{a.Name(): packed.Bytes(), release.SumsName: []byte(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestUpgrade looks, upgrades the programs and the copies in the data folder, and goes back.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s, programs := newSession(t, fake{}), t.TempDir()
	hook := filepath.Join(s.home, "bin", "mneme-hook")
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(programs, "mneme"), hook} {
		if err := os.WriteFile(path, []byte("old"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	const script = "#!/bin/sh\necho mneme 2.0.0\n"
	from := makeRelease(t, script)
	check := func(want string) {
		t.Helper()
		for _, path := range []string{filepath.Join(programs, "mneme"), hook} {
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%s holds %q, %v", path, got, err)
			}
		}
	}
	code, out, errs := s.run(t.Context(), "upgrade", "--from", from, "--folder", programs, "--dry-run")
	if code != 0 || !strings.Contains(out, "1.2.3 → 2.0.0") || !strings.Contains(out, "nothing was changed") {
		t.Errorf("dry run: exit %d, %s%s", code, out, errs)
	}
	if code, _, errs := s.run(t.Context(), "upgrade", "--from", from, "--folder", programs); code == 0 || !strings.Contains(errs, "nobody is there to confirm") {
		t.Errorf("unasked: exit %d, %s", code, errs)
	}
	check("old")
	if code, out, errs := s.run(t.Context(), "upgrade", "--from", from, "--folder", programs, "--yes"); code != 0 {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	check(script)
	if code, out, errs := s.run(t.Context(), "upgrade", "--back", "--folder", programs, "--yes", "--json"); code != 0 || !strings.Contains(out, `"done": true`) {
		t.Fatalf("back: exit %d, %s%s", code, out, errs)
	}
	check("old")
}

// TestUpgradeRefuses a program that does not run here, and an archive that was changed.
func TestUpgradeRefuses(t *testing.T) {
	t.Parallel()
	s, programs := newSession(t, fake{}), t.TempDir()
	from := makeRelease(t, "#!/bin/sh\necho no such library; exit 127\n")
	if code, _, errs := s.run(t.Context(), "upgrade", "--from", from, "--folder", programs, "--yes"); code == 0 || !strings.Contains(errs, "does not run here") {
		t.Errorf("a broken program: exit %d, %s", code, errs)
	}
	archive := filepath.Join(from, release.Archive{Version: "2.0.0", Target: release.Here()}.Name())
	if err := os.WriteFile(archive, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.run(t.Context(), "upgrade", "--from", from, "--folder", programs, "--yes"); code == 0 || !strings.Contains(errs, "is not the file that SHA256SUMS tells of") {
		t.Errorf("a changed archive: exit %d, %s", code, errs)
	}
	if entries, err := os.ReadDir(programs); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestUninstallAll says what it would do, and deletes the memories only when that was said with what
// becomes of a backup.
func TestUninstallAll(t *testing.T) {
	t.Parallel()
	s := newSession(t, fake{})
	if err := os.WriteFile(filepath.Join(s.home, config.FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--all", "--dry-run"}, 0, "stays: the data folder"},
		{[]string{"--all", "--yes"}, 0, "mneme is uninstalled"},
		{[]string{"--delete-memories"}, ExitUsage, "these flags need --all"},
		{[]string{"--all", "--delete-memories", "--yes"}, ExitUsage, "nobody says whether to back them up"},
		{[]string{"--all", "--delete-memories", "--backup", filepath.Join(s.home, "b"), "--yes"}, ExitUsage, "would be deleted with the data folder"},
		{[]string{"--all", "--delete-memories", "--no-backup", "--dry-run"}, 0, "TO BE DELETED: " + s.home},
		{[]string{"--all", "--delete-memories", "--no-backup"}, ExitUsage, "nobody is there to confirm"},
	} {
		code, out, errs := s.run(t.Context(), append([]string{"uninstall"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: exit %d, %s%s", c.args, code, out, errs)
		}
		if _, err := os.Stat(s.home); err != nil {
			t.Fatalf("%v deleted the memories", c.args)
		}
	}
	if code, out, errs := s.run(t.Context(), "uninstall", "--all", "--delete-memories", "--no-backup", "--yes"); code != 0 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if _, err := os.Stat(s.home); err == nil {
		t.Error("the data folder is there")
	}
}

// TestRemovable: a folder that holds other things is none to delete.
func TestRemovable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{dir, link, "/", filepath.Join(dir, "none")} {
		if err := homestate.RemoveHome(home); err == nil {
			t.Errorf("%s was deleted", home)
		}
	}
}
