package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	// socketPort only names the socket's file; there is no port.
	socketPort = "5432"
	socketName = ".s.PGSQL." + socketPort

	// A socket's path may have 107 bytes on Linux and 103 on macOS.
	maxSocketPath = 103
)

// place is where one cluster lives and what its server is given to reach it.
type place struct {
	account   account
	data      string // the cluster
	socketDir string // as clients see it
	ownSocket bool   // socketDir lies outside Dir and goes with us
	logFile   string
}

// clusterMajor is the major version that made the cluster in dir; 0 if there is none.
func clusterMajor(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "data", "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version from %.20q: %w", text, err)
	}
	return major, nil
}

func preparePlace(dir string, account account) (*place, error) {
	p := &place{
		account:   account,
		data:      filepath.Join(dir, "data"),
		socketDir: filepath.Join(dir, "run"),
		logFile:   filepath.Join(dir, "postgres.log"),
	}
	if len(filepath.Join(p.socketDir, socketName)) > maxSocketPath {
		p.socketDir, p.ownSocket = shortSocketDir(dir), true
	}
	return p, nil
}

// shortSocketDir is a folder for the socket of a cluster whose own path is too long for
// one. It is always the same for the same cluster, so that URL stays the same too.
func shortSocketDir(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	base := os.TempDir()
	if len(base) > 60 { // a long TMPDIR would not help
		base = "/tmp"
	}
	return filepath.Join(base, fmt.Sprintf("mneme-%d-%s", os.Getuid(), hex.EncodeToString(sum[:8])))
}

// makeSocketDir makes the folder and insists that it is ours: in a shared temporary folder
// somebody else could have put one there first.
func (p *place) makeSocketDir() error {
	if err := os.Mkdir(p.socketDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make socket folder: %w", err)
	}
	info, err := os.Lstat(p.socketDir)
	if err != nil {
		return fmt.Errorf("look at socket folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && info.IsDir() && p.account.dropped && !p.ownSocket {
		stat.Uid = uint32(os.Getuid()) //nolint:gosec // in our own folder: its owner was the server's user of an earlier release
	}
	if !ok || !info.IsDir() || (int(stat.Uid) != os.Getuid() && int(stat.Uid) != p.account.uid) {
		return fmt.Errorf("use socket folder %s: it belongs to somebody else", p.socketDir)
	}
	if err := os.Chmod(p.socketDir, 0o700); err != nil {
		return fmt.Errorf("make socket folder private: %w", err)
	}
	return p.account.own(p.socketDir)
}

// cleanup takes away what lies outside Dir.
func (p *place) cleanup() error {
	if !p.ownSocket {
		return nil
	}
	if err := os.RemoveAll(p.socketDir); err != nil {
		return fmt.Errorf("remove socket folder: %w", err)
	}
	return nil
}

// doors are the paths by which the server reaches a list of folders. A server that runs as
// somebody else gets them as open descriptors, because it may not be able to walk there;
// /proc/self/fd/3 is the first of them in the child.
func (p *place) doors(folders ...string) (paths []string, files []*os.File, err error) {
	if !p.account.dropped {
		return folders, nil, nil
	}
	const firstExtra = 3
	for i, folder := range folders {
		f, err := os.Open(folder)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("open door to %s: %w", folder, err), closeAll(files))
		}
		files = append(files, f)
		paths = append(paths, fmt.Sprintf("/proc/self/fd/%d", firstExtra+i))
	}
	return paths, files, nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
