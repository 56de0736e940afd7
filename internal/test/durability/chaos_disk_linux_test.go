package durability

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// disk is where the services of a site keep their data.
type disk struct {
	dir  string
	fill func(pids []int) (empty func()) // nil where it cannot be filled
}

// newDisk makes a small file system of its own if this process may, which can really be
// filled. If not, the size of the files of the servers is limited, which is the same to them.
func newDisk(t *testing.T) disk {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=600m,mode=0700"); err != nil {
		return disk{dir: dir, fill: func(pids []int) func() {
			limitSize(t, 1, pids)
			return func() { limitSize(t, unix.RLIM_INFINITY, pids) }
		}}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount the disk: %v", err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	return disk{dir: dir, fill: func([]int) func() {
		if err := fillUp(ballast); err != nil {
			t.Errorf("fill the disk: %v", err)
		}
		return func() {
			if err := os.Remove(ballast); err != nil {
				t.Errorf("empty the disk: %v", err)
			}
		}
	}}
}

// fillUp writes a file until there is no room.
func fillUp(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for piece := make([]byte, 1<<20); len(piece) > 0; {
		_, err := f.Write(piece)
		switch {
		case errors.Is(err, unix.ENOSPC):
			piece = piece[:len(piece)/2]
		case err != nil:
			return err
		}
	}
	return nil
}

// limitSize bounds the files that processes write.
func limitSize(t *testing.T, bytes uint64, pids []int) {
	t.Helper()
	for _, pid := range pids {
		var old unix.Rlimit
		err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &old)
		if err == nil {
			err = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: min(bytes, old.Max), Max: old.Max}, nil)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) {
			t.Errorf("limit %d: %v", pid, err)
		}
	}
}
