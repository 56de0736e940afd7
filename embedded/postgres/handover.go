package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
)

// takeOver gives a cluster that an earlier release ran as another user to the account of
// today. Call it while no server runs on it. The folder itself comes last: a handover that is
// killed is done again, and finds what is left to do.
func (p *place) takeOver(log *slog.Logger) (err error) {
	if !p.account.dropped {
		return nil
	}
	before, err := ownerOf(p.data)
	if errors.Is(err, fs.ErrNotExist) || err == nil && before == p.account.uid {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the cluster: %w", err)
	}
	// Below an os.Root nothing is followed out of the folder, whatever its old user put there.
	root, err := os.OpenRoot(p.data)
	if err != nil {
		return fmt.Errorf("open the cluster: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		return p.give(root, path, before)
	})
	if err != nil {
		return fmt.Errorf("give the cluster to the user %s: %w", p.account.name, err)
	}
	if err := root.Lchown(".", p.account.uid, p.account.gid); err != nil {
		return fmt.Errorf("give the cluster to the user %s: %w", p.account.name, err)
	}
	if err := p.dropOldSocket(before); err != nil {
		return err
	}
	log.Info("the database has a user of its own now", "user", p.account.name, "before", before)
	return nil
}

// dropOldSocket removes the folder of the socket that a killed server of the old user left
// outside the home. Anybody else's stays, and is refused later.
func (p *place) dropOldSocket(before int) error {
	owner, err := ownerOf(p.socketDir)
	if !p.ownSocket || errors.Is(err, fs.ErrNotExist) || err == nil && owner != before {
		return nil
	}
	if err := errors.Join(err, os.RemoveAll(p.socketDir)); err != nil {
		return fmt.Errorf("remove the old socket's folder: %w", err)
	}
	return nil
}

// give gives one file of the cluster to the account. What is neither the old user's nor
// root's is not the cluster's: a second name of somebody else's file, for one.
func (p *place) give(root *os.Root, path string, before int) error {
	info, err := root.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("find the owner of %s", path)
	}
	switch owner := int(stat.Uid); {
	case owner == p.account.uid:
		return nil
	case owner != before && owner != os.Getuid():
		return fmt.Errorf("%s belongs to the user %d, neither to the server nor to us", path, owner)
	case info.Mode().IsRegular() && stat.Nlink > 1:
		return fmt.Errorf("%s has a second name elsewhere", path)
	}
	return root.Lchown(path, p.account.uid, p.account.gid)
}

// ownerOf returns the id of the user whom a path belongs to.
func ownerOf(path string) (int, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("find the owner of %s", path)
	}
	return int(stat.Uid), nil
}
