package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"filippo.io/age"
	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/mneme-memory/mneme/memory"
)

// Source is the ledger: it calls begin once and then row with each row, as of one moment.
type Source interface {
	Backup(ctx context.Context, begin func(memory.BackupHead) error, row func(line []byte) error) error
}

// Options say how a backup is written.
type Options struct {
	Path       string            // of the file, absolute; required
	Replace    bool              // a file that is there already
	Recipients []age.Recipient   // for whom it is encrypted; none means not at all
	Version    string            // of the program
	Settings   map[string]string // of the home
	// Progress gets how many rows of how many are written; nil means nobody asks.
	Progress func(done, total int64)
}

// Written is a backup that is on the disk.
type Written struct {
	memory.Backup

	Path       string
	Bytes      int64  // of the file
	FileSHA256 string // of the file, as sha256sum prints it
	Encrypted  bool
}

// maxLine bounds a line of a backup, for the writer as for the reader.
const maxLine = 128 << 20

// window is how far back the compression looks; the reader needs no more memory than that.
const window = 4 << 20

// progressEvery is how many rows are written between two reports.
const progressEvery = 500

// end is the last line.
type end struct {
	End totals `json:"end"`
}

type totals struct {
	Rows   int64             `json:"rows"`
	Tables map[string]string `json:"tables"`
	SHA256 string            `json:"sha256"`
}

// Create writes a backup, readable by its owner only. The file appears under its name when it is
// whole; a write that fails or is interrupted leaves nothing behind.
func Create(ctx context.Context, ledger Source, o Options) (Written, error) {
	if err := checkPlace(o); err != nil {
		return Written{}, err
	}
	tmp, err := renameio.NewPendingFile(o.Path, renameio.WithTempDir(filepath.Dir(o.Path)),
		renameio.WithPermissions(0o600), renameio.IgnoreUmask())
	if err != nil {
		return Written{}, memory.Errorf(memory.Invalid, "give a file in a folder that you may write to",
			"write the backup: %w", err)
	}
	defer tmp.Cleanup() //nolint:errcheck // gone already when all went well
	w := &writer{counted: counted{to: tmp, sum: sha256.New()}, options: o}
	if err := w.all(ctx, ledger); err != nil {
		return Written{}, full(err)
	}
	if err := tmp.CloseAtomicallyReplace(); err != nil {
		return Written{}, full(fmt.Errorf("write the backup: %w", err))
	}
	if err := syncFolder(filepath.Dir(o.Path)); err != nil {
		return Written{}, full(err)
	}
	return Written{
		Backup: w.backup, Path: o.Path, Bytes: w.counted.bytes,
		FileSHA256: hex.EncodeToString(w.counted.sum.Sum(nil)), Encrypted: len(o.Recipients) > 0,
	}, nil
}

func checkPlace(o Options) error {
	info, err := os.Lstat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return memory.Errorf(memory.Invalid, "give a file in a folder that you may write to",
			"write the backup: %w", err)
	case !info.Mode().IsRegular():
		return memory.Errorf(memory.Invalid, "give the path of a file", "%s is there and is not a file", o.Path)
	case !o.Replace:
		return memory.Errorf(memory.Invalid, "give another name, or replace it with --force",
			"%s is there already", o.Path)
	}
	return nil
}

// syncFolder has the name of a new file survive a power cut.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open the folder of the backup: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some file systems cannot
		return fmt.Errorf("write the folder of the backup: %w", err)
	}
	return nil
}

// full says what to do when there is no room.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return memory.Errorf(memory.Refused,
			"make room there, or give a file on another disk; nothing is left of this one",
			"no room for the backup: %w", err)
	}
	return err
}

// counted counts and hashes what goes into the file.
type counted struct {
	to    io.Writer
	sum   hash.Hash
	bytes int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.sum.Write(p[:n])
	c.bytes += int64(n)
	return n, err
}

// writer writes one backup.
type writer struct {
	counted counted
	options Options
	backup  memory.Backup

	out   io.Writer // of lines
	lines hash.Hash // of all lines
	table int       // that the next row belongs to
	rows  int64     // of that table
	sum   hash.Hash // of them
	done  int64
}

// all writes everything through compression and encryption.
func (w *writer) all(ctx context.Context, ledger Source) error {
	file := bufio.NewWriterSize(&w.counted, 256<<10)
	var sealed io.WriteCloser = nopCloser{file}
	if len(w.options.Recipients) > 0 {
		var err error
		if sealed, err = age.Encrypt(file, w.options.Recipients...); err != nil {
			return fmt.Errorf("encrypt the backup: %w", err)
		}
	}
	packed, err := zstd.NewWriter(sealed, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return fmt.Errorf("compress the backup: %w", err)
	}
	w.out, w.lines, w.sum = packed, sha256.New(), sha256.New()
	err = w.content(ctx, ledger)
	if closeErr := packed.Close(); err == nil { // it holds memory until it is closed
		err = closeErr
	}
	if err != nil {
		return err
	}
	return errors.Join(sealed.Close(), file.Flush())
}

func (w *writer) content(ctx context.Context, ledger Source) error {
	w.backup.Digests = map[string]string{}
	row := func(line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.row(line)
	}
	if err := ledger.Backup(ctx, w.begin, row); err != nil {
		return err
	}
	if w.table != len(w.backup.Head.Tables) {
		return fmt.Errorf("write the backup: table %s is not whole", w.backup.Head.Tables[w.table].Name)
	}
	w.backup.SHA256 = hex.EncodeToString(w.lines.Sum(nil))
	return w.json(end{totals{Rows: w.backup.Head.Rows(), Tables: w.backup.Digests, SHA256: w.backup.SHA256}})
}

func (w *writer) begin(head memory.BackupHead) error {
	head.Version, head.Settings = w.options.Version, w.options.Settings
	w.backup.Head = head
	if err := w.json(head); err != nil {
		return err
	}
	w.skip()
	return nil
}

func (w *writer) json(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return w.line(line)
}

func (w *writer) line(line []byte) error {
	if len(line) > maxLine {
		return memory.Errorf(memory.Internal, "", "a row of %d bytes is too long for a backup", len(line))
	}
	w.lines.Write(line)
	w.lines.Write([]byte{'\n'})
	if _, err := w.out.Write(line); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if _, err := w.out.Write([]byte{'\n'}); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return nil
}

func (w *writer) row(line []byte) error {
	if w.table == len(w.backup.Head.Tables) {
		return errors.New("write the backup: there are more rows than were counted")
	}
	if err := w.line(line); err != nil {
		return err
	}
	w.sum.Write(line)
	w.sum.Write([]byte{'\n'})
	w.rows++
	w.done++
	if w.options.Progress != nil && w.done%progressEvery == 0 {
		w.options.Progress(w.done, w.backup.Head.Rows())
	}
	w.skip()
	return nil
}

// skip ends the tables that have all their rows.
func (w *writer) skip() {
	tables := w.backup.Head.Tables
	for w.table < len(tables) && w.rows == tables[w.table].Rows {
		w.backup.Digests[tables[w.table].Name] = hex.EncodeToString(w.sum.Sum(nil))
		w.table, w.rows, w.sum = w.table+1, 0, sha256.New()
	}
	if w.table == len(tables) && w.options.Progress != nil {
		w.options.Progress(w.done, w.done)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
