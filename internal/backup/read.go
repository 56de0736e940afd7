package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/mneme-memory/mneme/memory"
)

// The first bytes of a backup: of Zstandard, and of age.
const (
	zstdMagic = "\x28\xb5\x2f\xfd"
	ageMagic  = "age-encryption.org/"
)

// The bounds of what is read besides maxLine.
const (
	maxHead    = 1 << 20  // of the first line and the last one
	maxWindow  = 32 << 20 // of the compression
	maxTables  = 200
	maxColumns = 1000
)

const (
	hintNoBackup = `give a file that "mneme backup" wrote`
	hintDamaged  = "take another backup: this file was cut off or changed"
)

// File is a backup file that is read, as often as needed.
type File struct {
	file       *os.File
	name       string
	size       int64
	identities []age.Identity
	encrypted  bool
}

// Open opens a backup. Identities decrypt one that is encrypted.
func Open(path string, identities []age.Identity) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, memory.Errorf(memory.Invalid, hintNoBackup, "open the backup: %w", err)
	}
	b := &File{file: f, name: path, identities: identities}
	if err := b.begin(); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (f *File) begin() error {
	info, err := f.file.Stat()
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	if !info.Mode().IsRegular() {
		return memory.Errorf(memory.Invalid, hintNoBackup, "%s is not a file", f.name)
	}
	f.size = info.Size()
	magic := make([]byte, len(ageMagic))
	n, err := io.ReadFull(f.file, magic)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read the backup: %w", err)
	}
	switch {
	case string(magic[:n]) == ageMagic:
		f.encrypted = true
	case !strings.HasPrefix(string(magic[:n]), zstdMagic):
		return memory.Errorf(memory.Invalid, hintNoBackup, "%s is no backup of mneme", f.name)
	}
	if f.encrypted && len(f.identities) == 0 {
		return memory.Errorf(memory.Invalid, "give the file with the secret key: --identity FILE",
			"the backup is encrypted")
	}
	return nil
}

// Close closes the file.
func (f *File) Close() { f.file.Close() } //nolint:errcheck // only read

// Encrypted reports whether it was opened with an identity.
func (f *File) Encrypted() bool { return f.encrypted }

// Bytes returns the length of the file.
func (f *File) Bytes() int64 { return f.size }

// Check reads the whole file and compares its digests. Progress, which may be nil, gets how many
// rows of how many are read.
func (f *File) Check(ctx context.Context, progress func(done, total int64)) (memory.Backup, error) {
	var total, done int64
	return f.read(ctx, func(head memory.BackupHead) { total = head.Rows() }, func([]byte) error {
		if done++; progress != nil && (done%progressEvery == 0 || done == total) {
			progress(done, total)
		}
		return nil
	})
}

// errEnough says that the caller wants no more rows.
var errEnough = errors.New("enough")

// Rows reads the file again and yields its rows. A line is only valid until the next one.
func (f *File) Rows(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		_, err := f.read(ctx, func(memory.BackupHead) {}, func(line []byte) error {
			if !yield(line, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

func (f *File) read(ctx context.Context, begin func(memory.BackupHead), row func([]byte) error) (memory.Backup, error) {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return memory.Backup{}, fmt.Errorf("read the backup: %w", err)
	}
	var in io.Reader = bufio.NewReaderSize(f.file, 256<<10)
	if f.encrypted {
		var err error
		if in, err = age.Decrypt(in, f.identities...); err != nil {
			if none := new(age.NoIdentityMatchError); errors.As(err, &none) {
				return memory.Backup{}, memory.Errorf(memory.Invalid,
					"give the key of one of those for whom it was encrypted",
					"the backup is encrypted for somebody else")
			}
			return memory.Backup{}, damaged("decrypt it: %w", err)
		}
	}
	return parse(ctx, in, begin, row)
}

func damaged(format string, args ...any) error {
	return memory.Errorf(memory.Invalid, hintDamaged, "the backup is damaged: "+format, args...)
}

// parse reads a whole backup: it returns without an error only if every digest agrees.
func parse(
	ctx context.Context, in io.Reader, begin func(memory.BackupHead), row func([]byte) error,
) (memory.Backup, error) {
	unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return memory.Backup{}, damaged("unpack it: %w", err)
	}
	defer unpacked.Close()
	return parseText(ctx, unpacked, begin, row)
}

// parseText is parse for what was unpacked.
func parseText(
	ctx context.Context, in io.Reader, begin func(memory.BackupHead), row func([]byte) error,
) (memory.Backup, error) {
	p := parser{in: bufio.NewReaderSize(in, 64<<10)}
	p.backup.Digests = map[string]string{}
	if err := p.head(); err != nil {
		return p.backup, err
	}
	begin(p.backup.Head)
	if err := p.rows(ctx, row); err != nil {
		return p.backup, err
	}
	return p.backup, p.end()
}

// parser is one reading of a backup.
type parser struct {
	in     *bufio.Reader
	lines  digest
	backup memory.Backup
	long   []byte // a line that is longer than the reader's buffer
}

// line returns the next line without its end.
func (p *parser) line(limit int) ([]byte, error) {
	p.long = p.long[:0]
	for {
		part, err := p.in.ReadSlice('\n')
		if len(p.long)+len(part) > limit+1 {
			return nil, damaged("a line is longer than %d bytes", limit)
		}
		switch {
		case err == nil && len(p.long) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			p.long = append(p.long, part...)
			return p.long[:len(p.long)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			p.long = append(p.long, part...)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, damaged("it ends too early")
		default:
			return nil, damaged("read it: %w", err)
		}
	}
}

func (p *parser) head() error {
	line, err := p.line(maxHead)
	if err != nil {
		return err
	}
	p.lines.add(line)
	h := &p.backup.Head
	if err := json.Unmarshal(line, h); err != nil {
		return damaged("its first line is not what it should be")
	}
	if h.Format != memory.BackupFormat {
		return memory.Errorf(memory.Invalid, "restore it with a newer mneme",
			"the backup has format %d, and this mneme reads %d", h.Format, memory.BackupFormat)
	}
	if len(h.Tables) == 0 || len(h.Tables) > maxTables {
		return damaged("it has %d tables", len(h.Tables))
	}
	seen := map[string]bool{}
	for _, t := range h.Tables {
		if t.Name == "" || seen[t.Name] || t.Rows < 0 || len(t.Columns) == 0 || len(t.Columns) > maxColumns {
			return damaged("its first line is not what it should be")
		}
		seen[t.Name] = true
	}
	return nil
}

func (p *parser) rows(ctx context.Context, row func([]byte) error) error {
	for _, t := range p.backup.Head.Tables {
		var sum digest
		for range t.Rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			line, err := p.line(maxLine)
			if err != nil {
				return err
			}
			if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
				return damaged("a row of %q is not what it should be", memory.Clip(t.Name, 60))
			}
			p.lines.add(line)
			sum.add(line)
			if err := row(line); err != nil {
				return err
			}
		}
		p.backup.Digests[t.Name] = sum.hex()
	}
	return nil
}

// end reads the last line of a backup and compares the digests and the count of rows in it with those
// of the lines read before. A backup in which something follows the last line is refused.
func (p *parser) end() error {
	line, err := p.line(maxHead)
	if err != nil {
		return err
	}
	var said end
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&said); err != nil {
		return damaged("its last line is not what it should be")
	}
	p.backup.SHA256 = p.lines.hex()
	switch {
	case said.End.SHA256 != p.backup.SHA256, said.End.Rows != p.backup.Head.Rows(),
		len(said.End.Tables) != len(p.backup.Digests):
		return damaged("its digest is %.16s and should be %.16s", p.backup.SHA256, said.End.SHA256)
	}
	for name, sum := range p.backup.Digests {
		if said.End.Tables[name] != sum {
			return damaged("the digest of table %q is not what it should be", memory.Clip(name, 60))
		}
	}
	if _, err := p.in.ReadByte(); !errors.Is(err, io.EOF) {
		return damaged("something follows its last line")
	}
	return nil
}

// digest is the SHA-256 of lines.
type digest struct {
	sum hash.Hash
}

func (d *digest) add(line []byte) {
	if d.sum == nil {
		d.sum = sha256.New()
	}
	_, _ = d.sum.Write(line) // never fails
	_, _ = d.sum.Write([]byte{'\n'})
}

func (d *digest) hex() string {
	if d.sum == nil {
		d.sum = sha256.New()
	}
	return hex.EncodeToString(d.sum.Sum(nil))
}
