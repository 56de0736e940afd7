package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-memory/mneme/internal/importer"
	"github.com/mneme-memory/mneme/memory"
)

const (
	maxLineBytes  = 1 << 20
	maxBatchBytes = 1 << 20 // of JSON: Temporal refuses a message above 2 MB
	maxBadShown   = 20
)

// importFile is a file to import. It is read twice: first to check it as a
// whole, then to send it, so that a bad line is known before anything is kept.
type importFile struct {
	file     *os.File
	name     string // as shown
	key      string // its absolute path, or - for stdin
	defaults memory.StoreInput
	redactor memory.Redactor // of the survey; nil: none
	refused  map[int]bool    // lines that the survey found to be bad
	links    importLinks     // that the survey found
}

// badLine is a line that cannot be imported.
type badLine struct {
	number int
	reason string
}

// survey is what the first reading of a file found.
type survey struct {
	id      string // of the import: the same file and options give the same
	lines   int    // with a memory
	batches int
	bad     int
	shown   []badLine // the first of the bad
	unknown map[string]int
}

// openImport opens a file, or spools stdin (-) to a private one.
func (a *app) openImport(ctx context.Context, path string) (*importFile, error) {
	if path == "-" {
		return a.spool(ctx)
	}
	abs := a.absolute(path)
	f, err := os.Open(abs)
	if err != nil {
		return nil, memory.Errorf(memory.Invalid, "give the path of a file or a folder, or - for stdin",
			"open import: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close() //nolint:errcheck // only opened
		return nil, memory.Errorf(memory.Invalid, "give the path of a file, or - for stdin", "%s is not a file", path)
	}
	return &importFile{file: f, name: path, key: abs}, nil
}

// absolute is a path that the user gave, from the current folder on.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.sys.Dir, path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// headBytes is how much of a file is looked at for its format.
const headBytes = 4 << 20

// format tells what a file holds by its beginning.
func (f *importFile) format() (string, error) {
	head, err := io.ReadAll(io.NewSectionReader(f.file, 0, headBytes))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.name, err)
	}
	return importer.Detect(strings.TrimPrefix(f.key, "-"), head), nil
}

func (a *app) spool(ctx context.Context) (*importFile, error) {
	f, err := os.CreateTemp("", "mneme-import-*.jsonl") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("spool stdin: %w", err)
	}
	// Without a name from the start: what came in may hold secrets, and must
	// not stay behind when this process is killed.
	if err := os.Remove(f.Name()); err != nil {
		f.Close() //nolint:errcheck // nothing was written
		return nil, fmt.Errorf("spool stdin: %w", err)
	}
	in := &importFile{file: f, name: "stdin", key: "-"}
	if _, err := interruptible(ctx, func() (int64, error) { return io.Copy(f, a.sys.Stdin) }); err != nil {
		in.close()
		return nil, fmt.Errorf("spool stdin: %w", err)
	}
	return in, nil
}

func (f *importFile) close() {
	f.file.Close() //nolint:errcheck // only read
}

// each calls item for every good line and bad for every bad one. An error of
// either ends the reading.
func (f *importFile) each(ctx context.Context, item func(parsedLine) error, bad func(badLine) error) error {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", f.name, err)
	}
	r := bufio.NewReaderSize(f.file, 64<<10)
	for number := 1; ; number++ {
		line, long, err := nextLine(r, maxLineBytes)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", f.name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if number == 1 {
			line = trimMark(line)
		}
		if len(line) == 0 && !long {
			continue
		}
		if err := f.one(number, line, long, item, bad); err != nil {
			return err
		}
	}
}

func (f *importFile) one(number int, line []byte, long bool, item func(parsedLine) error, bad func(badLine) error) error {
	if long {
		return bad(badLine{number, fmt.Sprintf("is longer than %d bytes", maxLineBytes)})
	}
	if f.refused[number] {
		return nil
	}
	p, err := parseLine(line, f.defaults, f.redactor)
	if err != nil {
		return bad(badLine{number, err.Error()})
	}
	return item(p)
}

// trimMark removes the byte order mark that some editors put first.
func trimMark(line []byte) []byte {
	const mark = "\xef\xbb\xbf"
	if len(line) >= len(mark) && string(line[:len(mark)]) == mark {
		return line[len(mark):]
	}
	return line
}

// survey reads the whole file without sending anything.
func (f *importFile) survey(ctx context.Context) (survey, error) {
	s := survey{unknown: map[string]int{}}
	// The id covers what decides how lines become batches: a resumed import
	// must cut the same batches again. The number is that of the rules.
	hash := sha256.New()
	fmt.Fprintf(hash, "2 %q %q\n", f.key, f.defaults.Project)
	b := batcher{send: func(memory.ImportBatch) error { s.batches++; return nil }}
	f.links, f.refused = importLinks{}, nil
	refused := map[int]bool{}
	err := f.each(ctx, func(p parsedLine) error {
		s.lines++
		for _, key := range p.unknown {
			s.unknown[key]++
		}
		f.links.add(p)
		size, err := jsonSize(hash, p)
		if err != nil {
			return err
		}
		return b.add(p.in, size)
	}, func(bad badLine) error {
		s.bad++
		refused[bad.number] = true
		if len(s.shown) < maxBadShown {
			s.shown = append(s.shown, bad)
		}
		return nil
	})
	if err == nil {
		err = b.flush()
	}
	f.refused, f.redactor = refused, nil
	f.links.end(s.batches)
	s.batches += f.links.count()
	s.id = hex.EncodeToString(hash.Sum(nil)[:16])
	return s, err
}

// batches reads the file again and calls send with one batch after the other.
func (f *importFile) batches(ctx context.Context, send func(memory.ImportBatch) error) error {
	b := batcher{send: send}
	err := f.each(ctx, func(p parsedLine) error {
		size, err := jsonSize(io.Discard, p)
		if err != nil {
			return err
		}
		return b.add(p.in, size)
	}, func(badLine) error { return nil })
	if err != nil {
		return err
	}
	return b.flush()
}

// jsonSize returns the size of an item in a message, and writes it to w.
func jsonSize(w io.Writer, p parsedLine) (int, error) {
	p.in.User = "" // who resumes an import does not change it
	data, err := json.Marshal(p.in)
	if err != nil {
		return 0, fmt.Errorf("encode memory: %w", err)
	}
	if _, err := w.Write(append(data, '\n')); err != nil {
		return 0, err
	}
	for _, link := range p.links {
		if _, err := fmt.Fprintln(w, link.Target.ID, link.Type); err != nil {
			return 0, err
		}
	}
	return len(data) + 1, nil
}

// batcher cuts items into batches that are neither too many nor too big.
type batcher struct {
	send  func(memory.ImportBatch) error
	next  int
	bytes int
	items []memory.StoreInput
}

func (b *batcher) add(in memory.StoreInput, size int) error {
	if len(b.items) == memory.MaxImportBatch || len(b.items) > 0 && b.bytes+size > maxBatchBytes {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.items, b.bytes = append(b.items, in), b.bytes+size
	return nil
}

func (b *batcher) flush() error {
	if len(b.items) == 0 {
		return nil
	}
	batch := memory.ImportBatch{Number: b.next, Items: b.items}
	b.next, b.bytes, b.items = b.next+1, 0, nil
	return b.send(batch)
}
