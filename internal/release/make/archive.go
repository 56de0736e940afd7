package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mneme-memory/mneme/internal/release"
)

// entry is a file of an archive.
type entry struct {
	name string // in the archive
	from string // on disk
	mode int64
}

// pack writes the archive of a platform and the list of what is linked into it.
func (o options) pack(b built) error {
	entries := make([]entry, 0, len(release.Programs())+3)
	for _, program := range release.Programs() {
		file := b.archive.Target.File(program)
		entries = append(entries, entry{b.archive.Folder() + "/bin/" + file, b.file(program), 0o755})
	}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		entries = append(entries, entry{b.archive.Folder() + "/" + name, filepath.Join(o.root, name), 0o644})
	}
	if err := writeArchive(filepath.Join(o.out, b.archive.Name()), entries, o.when); err != nil {
		return fmt.Errorf("pack %s: %w", b.archive.Name(), err)
	}
	return o.bill(b)
}

// writeArchive writes a compressed tar that depends on the entries and the time alone.
func writeArchive(path string, entries []entry, when time.Time) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // it is published
	if err != nil {
		return err
	}
	zipped := gzip.NewWriter(f)
	out := tar.NewWriter(zipped)
	for _, e := range entries {
		if err := addFile(out, e, when); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(out.Close(), zipped.Close(), f.Close())
}

func addFile(out *tar.Writer, e entry, when time.Time) error {
	f, err := os.Open(e.from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// Only what is the same on every machine: no user, no group, no time of the disk.
	header := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: info.Size(), Mode: e.mode, ModTime: when, Format: tar.FormatUSTAR}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return err
}

// sumOf is the SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
