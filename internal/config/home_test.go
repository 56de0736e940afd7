package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestEnsureHome(t *testing.T) {
	t.Parallel()
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	home := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := EnsureHome(home); err != nil || mode(home) != 0o700 {
			t.Fatalf("create: %v, mode %o", err, mode(home))
		}
	}
	// An open but empty folder of ours is closed.
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := EnsureHome(home); err != nil || mode(home) != 0o700 {
		t.Errorf("close: %v, mode %o", err, mode(home))
	}
	// A folder with other files in it is left alone.
	other := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o600), os.Chmod(other, 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := EnsureHome(other); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" || mode(other) != 0o755 {
		t.Errorf("foreign: %v, mode %o", err, mode(other))
	}
	if err := os.WriteFile(filepath.Join(other, FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := EnsureHome(other); err != nil || mode(other) != 0o700 {
		t.Errorf("with our file: %v, mode %o", err, mode(other))
	}
	if err := EnsureHome(filepath.Join(other, "letter.txt")); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a file: %v", err)
	}
}

func TestEnsureHomeOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	home := t.TempDir()
	if err := os.Chown(home, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if err := EnsureHome(home); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("got %v", err)
	}
}
