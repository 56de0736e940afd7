package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/memory"
)

// previousName is the folder, beside the programs, of those that were replaced last. While a swap is
// under way, a file called unfinishedName lies in it.
const (
	previousName   = ".mneme-previous"
	unfinishedName = "unfinished"
)

// Previous returns where the replaced programs of a folder are kept.
func Previous(dir string) string { return filepath.Join(dir, previousName) }

// Swap puts the files of fresh in the place of those of the same name in dir, one after the other,
// and keeps the old ones for [Back]. A program that runs keeps the file that it was started from. A
// swap that fails, or that was killed and is found by the next one, is taken back.
func Swap(dir, fresh string, files []string) error {
	previous := Previous(dir)
	if err := mend(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(previous); err != nil {
		return fmt.Errorf("remove the programs of the last upgrade: %w", err)
	}
	if err := os.MkdirAll(previous, 0o700); err != nil {
		return fmt.Errorf("keep the old programs: %w", err)
	}
	mark := filepath.Join(previous, unfinishedName)
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return fmt.Errorf("keep the old programs: %w", err)
	}
	for _, file := range files {
		if err := swapOne(filepath.Join(dir, file), filepath.Join(fresh, file), filepath.Join(previous, file)); err != nil {
			return errors.Join(fmt.Errorf("put %s in place: %w", file, err), mend(dir))
		}
	}
	if err := os.Remove(mark); err != nil {
		return fmt.Errorf("end the upgrade: %w", err)
	}
	return nil
}

// swapOne keeps the file at path as previous, and puts fresh in its place in one step.
func swapOne(path, fresh, previous string) error {
	if err := os.Link(path, previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if err := copyFile(path, previous); err != nil { // a file system without links
			return err
		}
	}
	return place(fresh, path)
}

// place puts a copy of a file at path in one step.
func place(from, path string) error {
	next := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := copyFile(from, next)
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(next))
	}
	return nil
}

func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeProgram(to, f)
}

// mend takes back a swap that did not come to its end.
func mend(dir string) error {
	previous := Previous(dir)
	if _, err := os.Stat(filepath.Join(previous, unfinishedName)); err != nil {
		return nil //nolint:nilerr // there is none
	}
	kept, err := keptFiles(previous)
	if err != nil {
		return err
	}
	for _, file := range kept {
		if err := place(filepath.Join(previous, file), filepath.Join(dir, file)); err != nil {
			return fmt.Errorf("take the upgrade back: %w; the old programs are in %s", err, previous)
		}
	}
	return os.Remove(filepath.Join(previous, unfinishedName))
}

// keptFiles are the names of the programs in a folder of replaced ones.
func keptFiles(previous string) ([]string, error) {
	entries, err := os.ReadDir(previous)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for the old programs: %w", err)
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && e.Name() != unfinishedName {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// Back puts the programs that were replaced last in their place again, and keeps the others: a second
// Back goes forward. It returns the names of the files.
func Back(dir string) ([]string, error) {
	if err := mend(dir); err != nil {
		return nil, err
	}
	kept, err := keptFiles(Previous(dir))
	if err != nil {
		return nil, err
	}
	if len(kept) == 0 {
		return nil, memory.Errorf(memory.NotFound, "only an upgrade keeps the old programs", "there are no older programs in %s", Previous(dir))
	}
	aside, err := os.MkdirTemp(dir, previousName+"-")
	if err != nil {
		return nil, fmt.Errorf("keep the newer programs: %w", err)
	}
	defer os.RemoveAll(aside) //nolint:errcheck // a temporary folder
	for _, file := range kept {
		if err := os.Rename(filepath.Join(Previous(dir), file), filepath.Join(aside, file)); err != nil {
			return nil, fmt.Errorf("take the older programs: %w", err)
		}
	}
	return kept, Swap(dir, aside, kept)
}
