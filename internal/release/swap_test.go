package release_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-memory/mneme/internal/release"
	"github.com/mneme-memory/mneme/memory"
)

// filled makes a folder of programs that hold a text.
func filled(t *testing.T, text string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	return dir
}

// holds checks what the programs of a folder hold; "" is none.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || string(got) != text {
			t.Errorf("%s holds %q, want %q (%v)", name, got, text, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*.new")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSwapAndBack goes forward, back and forward again.
func TestSwapAndBack(t *testing.T) {
	t.Parallel()
	dir, fresh := filled(t, "old", "a", "b"), filled(t, "new", "a", "b", "c")
	if _, err := release.Back(dir); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("back from nothing: %v", err)
	}
	if err := release.Swap(dir, fresh, []string{"a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "new", "b": "new", "c": "new"})
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("it cannot be run: %v, %v", info.Mode(), err)
	}
	for _, want := range []string{"old", "new"} {
		if files, err := release.Back(dir); err != nil || len(files) != 2 {
			t.Fatalf("back: %v, %v", files, err)
		}
		holds(t, dir, map[string]string{"a": want, "b": want, "c": "new"})
	}
}

// TestSwapThatFails lacks the second program: the first is as it was.
func TestSwapThatFails(t *testing.T) {
	t.Parallel()
	dir := filled(t, "old", "a", "b")
	if err := release.Swap(dir, filled(t, "new", "a"), []string{"a", "b"}); err == nil {
		t.Error("it did not fail")
	}
	holds(t, dir, map[string]string{"a": "old", "b": "old"})
}

// TestSwapThatWasKilled finds a swap whose process was killed after the first program.
func TestSwapThatWasKilled(t *testing.T) {
	t.Parallel()
	dir := filled(t, "old", "b")
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("new"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if err := os.Mkdir(release.Previous(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"unfinished": "", "a": "old"} {
		if err := os.WriteFile(filepath.Join(release.Previous(dir), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := release.Swap(dir, filled(t, "newer", "a", "b"), []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "newer", "b": "newer"})
	holds(t, release.Previous(dir), map[string]string{"a": "old", "b": "old"})
}
