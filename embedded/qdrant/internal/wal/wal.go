// Package wal keeps an append-only file of checksummed records. A record that
// was committed survives a kill of the process and a loss of power; what a
// crash tore at the end of the file is cut off when it is opened again.
//
// The caller appends under a lock of its own, one record at a time, and
// commits without that lock: commits of many goroutines share one fsync.
package wal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

const (
	magic      = "mnwal001"
	headerSize = 8       // length and checksum before every record
	maxRecord  = 1 << 28 // longer lengths are taken for damage
)

// castagnoli is the polynomial that processors compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrFailed marks a log that could not be made durable once. The data in the
// page cache is then of unknown fate, so nothing more is written to it until
// it is opened again.
var ErrFailed = errors.New("log is read-only after a failed write")

// A File is what a log writes to. It is *os.File but in tests of full disks.
type File interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A Log is one open file. Append and Replace must not run at the same time;
// everything else may.
type Log struct {
	path string
	wrap func(*os.File) File

	file File
	size int64 // bytes in the file, all whole records

	mu      sync.Mutex
	turn    *sync.Cond
	busy    bool  // a leader is syncing, or the file is being replaced
	written int64 // bytes ever appended; never shrinks
	durable int64 // as many of them are on disk
	failed  error

	background sync.WaitGroup
	scheduled  atomic.Bool
}

// A Tear is what was cut off at the end of a file.
type Tear struct {
	Bytes int64  // 0 if the file was whole
	Saved string // file the bytes were moved to, for whoever wants to look
}

// Options of Open; the zero value is right outside tests.
type Options struct {
	// Wrap lets a test stand between the log and the disk.
	Wrap func(*os.File) File
}

// Open reads every record of the file at path, which is made if missing, and
// hands it to replay. The slice is valid during the call only. An error of
// replay ends it.
func Open(path string, opts Options, replay func(record []byte) error) (*Log, Tear, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Tear{}, fmt.Errorf("open log: %w", err)
	}
	size, tear, err := recoverFile(file, path, replay)
	if err != nil {
		return nil, Tear{}, errors.Join(err, file.Close())
	}
	l := &Log{path: path, wrap: opts.Wrap, size: size}
	if l.wrap == nil {
		l.wrap = func(f *os.File) File { return f }
	}
	l.turn = sync.NewCond(&l.mu)
	l.file = l.wrap(file)
	return l, tear, nil
}

// recoverFile replays a file and cuts off what is torn.
func recoverFile(file *os.File, path string, replay func([]byte) error) (int64, Tear, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, Tear{}, fmt.Errorf("open log %s: %w", path, err)
	}
	if info.Size() < int64(len(magic)) {
		return start(file, path)
	}
	end, err := scan(file, info.Size(), replay)
	if err != nil {
		return 0, Tear{}, fmt.Errorf("read log %s: %w", path, err)
	}
	if end == info.Size() {
		return end, Tear{}, nil
	}
	tear, err := cut(file, path, end, info.Size())
	return end, tear, err
}

// start makes a new file durable, its name included.
func start(file *os.File, path string) (int64, Tear, error) {
	if _, err := file.WriteAt([]byte(magic), 0); err != nil {
		return 0, Tear{}, fmt.Errorf("start log %s: %w", path, err)
	}
	if err := file.Sync(); err != nil {
		return 0, Tear{}, fmt.Errorf("start log %s: %w", path, err)
	}
	if err := folder.Sync(filepath.Dir(path)); err != nil {
		return 0, Tear{}, err
	}
	return int64(len(magic)), Tear{}, nil
}

// scan replays whole records and returns where they end.
func scan(file io.ReaderAt, size int64, replay func([]byte) error) (int64, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 1<<20)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil {
		return 0, err
	}
	if string(head) != magic {
		return 0, errors.New("not a log of this program")
	}
	pos := int64(len(magic))
	var buf []byte
	for {
		body, err := next(in, &buf, size-pos)
		if err != nil {
			return 0, err
		}
		if body == nil {
			return pos, nil
		}
		if err := replay(body); err != nil {
			return 0, fmt.Errorf("record at byte %d: %w", pos, err)
		}
		pos += headerSize + int64(len(body))
	}
}

// next reads one record, or nil where no whole record follows.
func next(in io.Reader, buf *[]byte, left int64) ([]byte, error) {
	if left < headerSize {
		return nil, nil
	}
	var head [headerSize]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(head[:4]))
	if length == 0 || length > maxRecord || length > left-headerSize {
		return nil, nil
	}
	if int64(cap(*buf)) < length {
		*buf = make([]byte, length)
	}
	body := (*buf)[:length]
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, err
	}
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, nil
	}
	return body, nil
}

// cut moves what follows the last whole record to a file of its own: it was
// never acknowledged, but a person may want to look at it.
func cut(file *os.File, path string, end, size int64) (Tear, error) {
	tear := Tear{Bytes: size - end, Saved: fmt.Sprintf("%s.torn", path)}
	out, err := os.OpenFile(tear.Saved, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return tear, fmt.Errorf("keep torn end of log: %w", err)
	}
	_, err = io.Copy(out, io.NewSectionReader(file, end, size-end))
	if err := errors.Join(err, out.Close()); err != nil {
		return tear, fmt.Errorf("keep torn end of log: %w", err)
	}
	if err := file.Truncate(end); err != nil {
		return tear, fmt.Errorf("cut torn end of log %s: %w", path, err)
	}
	if err := file.Sync(); err != nil {
		return tear, fmt.Errorf("cut torn end of log %s: %w", path, err)
	}
	return tear, nil
}

// Append writes a record and returns the position to commit. After an error the
// log holds the same records as before.
func (l *Log) Append(record []byte) (int64, error) {
	if err := l.Failed(); err != nil {
		return 0, err
	}
	if len(record) == 0 || len(record) > maxRecord {
		return 0, fmt.Errorf("record of %d bytes: must be from 1 to %d", len(record), maxRecord)
	}
	frame := frame(record)
	if _, err := l.file.WriteAt(frame, l.size); err != nil {
		// What was written in part would be cut off at the next start; do it now.
		return 0, errors.Join(fmt.Errorf("append to log: %w", err), l.file.Truncate(l.size))
	}
	l.size += int64(len(frame))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written += int64(len(frame))
	return l.written, nil
}

func frame(record []byte) []byte {
	out := make([]byte, headerSize+len(record))
	binary.LittleEndian.PutUint32(out, uint32(len(record)))
	binary.LittleEndian.PutUint32(out[4:], crc32.Checksum(record, castagnoli))
	copy(out[headerSize:], record)
	return out
}

// Commit returns once everything up to the position is on disk. The first to
// come syncs for all that wait.
func (l *Log) Commit(position int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case l.durable >= position:
			return nil
		case l.failed != nil:
			return l.failed
		case l.busy:
			l.turn.Wait()
		default:
			l.lead()
		}
	}
}

// lead syncs once, without the lock but with busy set. The caller holds mu.
func (l *Log) lead() {
	l.busy = true
	target, file := l.written, l.file
	l.mu.Unlock()
	err := file.Sync()
	l.mu.Lock()
	l.busy = false
	if err != nil {
		l.failed = fmt.Errorf("%w: %w", ErrFailed, err)
	} else {
		l.durable = max(l.durable, target)
	}
	l.turn.Broadcast()
}

// CommitSoon syncs in the background what has been appended so far.
func (l *Log) CommitSoon() {
	if !l.scheduled.CompareAndSwap(false, true) {
		return
	}
	l.background.Go(func() {
		l.scheduled.Store(false)
		// A failure is kept and given to the next writer.
		_ = l.Commit(l.position())
	})
}

func (l *Log) position() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// Failed returns why the log takes no more records, or nil.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Size is the length of the file in bytes.
func (l *Log) Size() int64 { return l.size }

// Close makes everything durable and closes the file.
func (l *Log) Close() error {
	l.background.Wait()
	err := l.Commit(l.position())
	return errors.Join(err, l.file.Close())
}
