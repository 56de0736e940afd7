package postgres

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxLog is the size at which the server's log starts anew; one earlier part is kept.
const maxLog = 2 << 20

// openLog opens the file the server writes to. It belongs to us: the server only inherits
// it, so it needs no right to the folder.
func openLog(path string) (*os.File, error) {
	if err := trimLog(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open postgres log: %w", err)
	}
	return f, nil
}

// trimLog copies a large log aside and empties it. It is not renamed, because a running
// server would go on writing to the renamed one.
func trimLog(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && info.Size() < maxLog) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at postgres log: %w", err)
	}
	if err := copyFile(path, path+".1"); err != nil {
		return fmt.Errorf("keep postgres log: %w", err)
	}
	if err := os.Truncate(path, 0); err != nil {
		return fmt.Errorf("empty postgres log: %w", err)
	}
	return nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
