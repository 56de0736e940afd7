package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/memory"
)

// Unpack writes the programs of an archive into an empty folder, and returns the names of their
// files. Nothing else of the archive is written, and nothing outside the folder.
func Unpack(r io.Reader, a Archive, dir string) ([]string, error) {
	wanted := map[string]string{}
	for _, program := range Programs() {
		file := a.Target.File(program)
		wanted[a.Folder()+"/bin/"+file] = file
	}
	broken := func(err error) error {
		return memory.Errorf(memory.Invalid, "fetch it again", "read %s: %w", a.Name(), err)
	}
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, broken(err)
	}
	var out []string
	left := int64(maxArchive)
	for in := tar.NewReader(unzipped); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, broken(err)
		}
		file := wanted[header.Name]
		if file == "" || header.Typeflag != tar.TypeReg {
			continue
		}
		if left -= header.Size; left < 0 {
			return nil, broken(errors.New("it is too large"))
		}
		delete(wanted, header.Name)
		if err := writeProgram(filepath.Join(dir, file), in); err != nil {
			return nil, err
		}
		out = append(out, file)
	}
	for _, file := range wanted {
		return nil, broken(fmt.Errorf("%s is not in it", file))
	}
	return out, nil
}

// writeProgram writes one program, flushed: it is moved into the place of another one.
func writeProgram(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) //nolint:gosec // a program
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	_, err = io.Copy(f, r)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(path), err)
	}
	return nil
}
