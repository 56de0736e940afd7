package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/memory"
)

// content is what a file holds. The zero value is a file that does not exist.
type content struct {
	data   []byte
	exists bool
}

// hash names a content; that of a file that does not exist is empty.
func (c content) hash() string {
	if !c.exists {
		return ""
	}
	sum := sha256.Sum256(c.data)
	return hex.EncodeToString(sum[:])
}

func load(path string) (content, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err != nil {
		return content{}, fmt.Errorf("read %s: %w", path, err)
	}
	return content{data: data, exists: true}, nil
}

// target returns the file that a path stands for: people keep their settings in
// another folder and link to them. The link stays.
func target(path string) (string, error) {
	const most = 16
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			// Not a link, or nothing at all: a folder on the way may still be a link,
			// but the system follows those by itself.
			return path, nil //nolint:nilerr // reading what is not a link fails, and that is fine
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", memory.Errorf(memory.Invalid, "mend the symbolic links", "%s: links lead in a circle", path)
}

// save makes a file hold a content in one step: a reader sees the old or the new
// one, also when the machine stops in between. A file that exists keeps its mode.
func save(path string, c content, mode fs.FileMode) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	if !c.exists {
		return removeFile(path)
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(path, mode, func(f *os.File) error {
		_, err := f.Write(c.data)
		return err
	})
}

// removeFile removes a file, or a link and not what it leads to.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// replace writes a file beside path and moves it there.
func replace(path string, mode fs.FileMode, write func(*os.File) error) error {
	tmp, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(mode))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer tmp.Cleanup() //nolint:errcheck // gone already when all went well
	if err := write(tmp.File); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// makeDirs makes the folder of a file and returns the folders that were not there
// before, the innermost first.
func makeDirs(path string, mode fs.FileMode) ([]string, error) {
	var made []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		_, err := os.Stat(dir)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("make the folder of %s: %w", path, err)
		}
		made = append(made, dir)
	}
	if err := os.MkdirAll(filepath.Dir(path), mode); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", path, err)
	}
	return made, nil
}

// removeEmpty removes folders that hold nothing.
func removeEmpty(dirs []string) error {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("remove folder %s: %w", dir, err)
		}
		if len(entries) > 0 {
			continue
		}
		if err := os.Remove(dir); err != nil {
			return fmt.Errorf("remove folder %s: %w", dir, err)
		}
	}
	return nil
}
