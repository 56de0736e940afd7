package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/memory"
)

// The bounds of a spool. With the daemon down for a week, a busy user's hooks
// leave some hundred entries of about 1 KB.
const (
	MaxEntries     = 2000
	MaxBytes       = 16 << 20
	MaxQuarantined = 200 // the oldest go first
)

const (
	suffix   = ".json"
	lockName = ".lock"
	// tempPattern are half-written files: hidden ones, with digits after the name.
	tempPattern = ".*" + suffix + "[0-9]*"
	// staleTemp is when a half-written file was left by a process that was killed.
	staleTemp = time.Minute
)

// ErrFull says that the spool is at its bound: the entry was not kept.
var ErrFull = errors.New("the spool is full")

// Spool is a folder of entries. Many processes may use one at once.
type Spool struct {
	dir      string
	redactor memory.Redactor
	now      func() time.Time
}

// Open returns the spool of a home folder. Nothing is created before the first
// Add. What is added passes the redactor first.
func Open(home string, redactor memory.Redactor) *Spool {
	return &Spool{dir: Dir(home), redactor: redactor, now: time.Now}
}

// Dir returns where the spool of a home folder lies.
func Dir(home string) string { return filepath.Join(home, "spool") }

func (s *Spool) quarantine() string { return filepath.Join(s.dir, "quarantine") }

// Add keeps an entry. When it returns nil the entry survives a crash of the
// machine. Adding an entry whose key waits already changes nothing.
func (s *Spool) Add(e Entry) error {
	e, err := e.admit(s.redactor)
	if err != nil {
		return fmt.Errorf("spool %s: %w", e.Kind(), err)
	}
	if e.At.IsZero() {
		e.At = s.now().UTC()
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("spool %s: %w", e.Kind(), err)
	}
	if err := s.makeDir(); err != nil {
		return err
	}
	path := filepath.Join(s.dir, fileName(e.Key))
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	state, err := s.State()
	if err != nil {
		return err
	}
	if state.Entries >= MaxEntries || state.Bytes+int64(len(data)) > MaxBytes {
		return fmt.Errorf("spool %s: %w (%d entries, %d bytes)", e.Kind(), ErrFull, state.Entries, state.Bytes)
	}
	return write(path, data)
}

// makeDir makes the folder, which survives a crash like what is put in it.
func (s *Spool) makeDir() error {
	if _, err := os.Stat(s.dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create spool: %w", err)
	}
	return syncDir(filepath.Dir(s.dir))
}

// write puts data in place in one step that survives a crash.
func write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(dir)); err != nil {
		return fmt.Errorf("write to spool: %w", err)
	}
	return syncDir(dir)
}

// syncDir makes a rename in a folder survive a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open spool: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("flush spool: %w", err)
	}
	return nil
}

// State counts what waits.
type State struct {
	Entries     int   `json:"entries"`
	Bytes       int64 `json:"bytes"`
	Quarantined int   `json:"quarantined"`
}

// State returns what waits. A spool that does not exist is empty.
func (s *Spool) State() (State, error) {
	var state State
	files, err := list(s.dir)
	if err != nil {
		return state, err
	}
	for _, f := range files {
		state.Entries++
		state.Bytes += f.Size()
	}
	bad, err := list(s.quarantine())
	if err != nil {
		return state, err
	}
	state.Quarantined = len(bad)
	return state, nil
}

// Quarantined is an entry that could not be delivered.
type Quarantined struct {
	File   string    `json:"file"`   // its path, for whoever wants to look
	At     time.Time `json:"at"`     // when it was put aside
	Kind   string    `json:"kind"`   // store, credit, events; or unreadable
	Reason string    `json:"reason"` // the receiver's words
}

// quarantined is how such a file is written: the entry as it was, and why.
type quarantined struct {
	Reason string          `json:"reason"`
	Kind   string          `json:"kind"`
	Entry  json.RawMessage `json:"entry,omitempty"`
	Raw    []byte          `json:"raw,omitempty"` // when it is no JSON
}

// Quarantined lists what could not be delivered, oldest first.
func (s *Spool) Quarantined() ([]Quarantined, error) {
	files, err := list(s.quarantine())
	if err != nil {
		return nil, err
	}
	out := make([]Quarantined, 0, len(files))
	for _, f := range files {
		path := filepath.Join(s.quarantine(), f.Name())
		one := Quarantined{File: path, At: f.ModTime(), Kind: "unreadable"}
		var q quarantined
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &q) == nil {
			one.Kind, one.Reason = q.Kind, q.Reason
		}
		out = append(out, one)
	}
	return out, nil
}

// list returns the entries' files of a folder, oldest first.
func list(dir string) ([]fs.FileInfo, error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read spool: %w", err)
	}
	out := make([]fs.FileInfo, 0, len(names))
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), suffix) {
			continue
		}
		info, err := n.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // delivered since, or not ours
		}
		out = append(out, info)
	}
	sortByAge(out)
	return out, nil
}

// putAside moves an entry to the quarantine.
func (s *Spool) putAside(name string, data []byte, kind, reason string) error {
	if err := os.MkdirAll(s.quarantine(), 0o700); err != nil {
		return fmt.Errorf("create quarantine: %w", err)
	}
	reason, _ = s.redactor.Redact(reason)
	q := quarantined{Reason: reason, Kind: kind}
	if json.Valid(data) {
		q.Entry = data
	} else {
		q.Raw = data
	}
	out, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("write to quarantine: %w", err)
	}
	if err := write(filepath.Join(s.quarantine(), name), out); err != nil {
		return err
	}
	if err := s.trim(); err != nil {
		return err
	}
	return remove(filepath.Join(s.dir, name))
}

// trim keeps the quarantine bounded.
func (s *Spool) trim() error {
	files, err := list(s.quarantine())
	if err != nil {
		return err
	}
	for _, f := range files[:max(0, len(files)-MaxQuarantined)] {
		if err := remove(filepath.Join(s.quarantine(), f.Name())); err != nil {
			return err
		}
	}
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove from spool: %w", err)
	}
	return nil
}

// invalid reports whether an error is one that no retry can mend.
func invalid(err error) bool { return err != nil && !memory.Retryable(err) }
