package wal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/embedded/internal/folder"
)

// Replace writes a new file with the records that write emits and puts it in
// the place of the log, so that what no longer matters takes no space. If it
// fails the old file stays in force. Nothing may be appended meanwhile.
func (l *Log) Replace(write func(emit func(record []byte) error) error) error {
	if err := l.Failed(); err != nil {
		return err
	}
	temporary := l.path + ".new"
	file, size, err := writeAll(temporary, write)
	if err != nil {
		return errors.Join(fmt.Errorf("compact log: %w", err), removeIfThere(temporary))
	}
	l.take()
	defer l.release()
	if err := os.Rename(temporary, l.path); err != nil {
		return errors.Join(fmt.Errorf("compact log: %w", err), file.Close(), removeIfThere(temporary))
	}
	// The new file is in force from here on, whatever the rest says.
	old := l.file
	l.file, l.size = l.wrap(file), size
	err = folder.Sync(filepath.Dir(l.path))
	l.settle(err)
	return errors.Join(err, old.Close())
}

// settle notes that all is on disk, or that the name of the file may not be.
func (l *Log) settle(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed = fmt.Errorf("%w: %w", ErrFailed, err)
		return
	}
	l.durable = l.written
}

// take waits for a running sync to end and keeps others from starting.
func (l *Log) take() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy {
		l.turn.Wait()
	}
	l.busy = true
}

func (l *Log) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = false
	l.turn.Broadcast()
}

// writeAll makes a durable log file and leaves it open.
func writeAll(path string, write func(emit func([]byte) error) error) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, 0, err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	size := int64(len(magic))
	_, err = out.WriteString(magic)
	if err == nil {
		err = write(func(record []byte) error {
			size += headerSize + int64(len(record))
			_, err := out.Write(frame(record))
			return err
		})
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, size, nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
