package wal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/mneme-memory/mneme/embedded/qdrant/internal/wal"
)

func read(t *testing.T, path string) ([]string, wal.Tear) {
	t.Helper()
	var got []string
	log, tear, err := wal.Open(path, wal.Options{}, func(r []byte) error { got = append(got, string(r)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return got, tear
}

func nothing([]byte) error { return nil }

// TestTorn cuts a log at every byte, and spoils every byte of the last record:
// the records before are always there, and never half a one.
func TestTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	log, _, err := wal.Open(path, wal.Options{}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []string{"one", "two", "three"} {
		if _, err := log.Append([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := len(whole) - 8 - len("three")
	for cut := last + 1; cut < len(whole); cut++ {
		spoiled := slices.Clone(whole)
		spoiled[cut] ^= 0x55
		for name, data := range map[string][]byte{"cut": whole[:cut], "spoiled": spoiled} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, tear := read(t, path); !slices.Equal(got, []string{"one", "two"}) || tear.Bytes == 0 {
				t.Fatalf("%s at %d: %v, %+v", name, cut, got, tear)
			}
			if got, tear := read(t, path); len(got) != 2 || tear.Bytes != 0 {
				t.Fatalf("%s at %d, opened again: %v, %+v", name, cut, got, tear)
			}
		}
	}
}

// A narrow disk takes so many bytes and no more.
type narrow struct {
	*os.File
	left *int
}

func (n narrow) WriteAt(b []byte, at int64) (int, error) {
	if len(b) <= *n.left {
		*n.left -= len(b)
		return n.File.WriteAt(b, at)
	}
	written, _ := n.File.WriteAt(b[:*n.left], at)
	return written, syscall.ENOSPC
}

// TestFullDisk fails one write, checks that the older records stay, and goes on
// once the disk has space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	left := 30
	log, _, err := wal.Open(path, wal.Options{Wrap: func(f *os.File) wal.File { return narrow{f, &left} }}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append([]byte("small")); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(make([]byte, 100)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("append to a full disk: %v", err)
	}
	left = 1000
	position, err := log.Append([]byte("later"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Commit(position), log.Close()); err != nil {
		t.Fatal(err)
	}
	if got, tear := read(t, path); !slices.Equal(got, []string{"small", "later"}) || tear.Bytes != 0 {
		t.Fatalf("%q, %+v", got, tear)
	}
}

// A broken disk cannot sync.
type broken struct{ *os.File }

func (broken) Sync() error { return syscall.EIO }

func TestFailedSyncStopsWrites(t *testing.T) {
	t.Parallel()
	log, _, err := wal.Open(filepath.Join(t.TempDir(), "log"), wal.Options{Wrap: func(f *os.File) wal.File { return broken{f} }}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	position, err := log.Append([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Commit(position); !errors.Is(err, syscall.EIO) {
		t.Fatalf("commit: %v", err)
	}
	if _, err := log.Append([]byte("y")); !errors.Is(err, wal.ErrFailed) {
		t.Fatalf("append after that: %v", err)
	}
}

// TestGroupCommit lets many goroutines append and commit at once.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	log, _, err := wal.Open(path, wal.Options{}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	var order sync.Mutex
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 25 {
				order.Lock()
				position, err := log.Append(fmt.Appendf(nil, "%d-%d", g, i))
				order.Unlock()
				if err := errors.Join(err, log.Commit(position)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, path); len(got) != 200 {
		t.Fatalf("%d records of 200", len(got))
	}
}
