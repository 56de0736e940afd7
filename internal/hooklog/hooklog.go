// Package hooklog is the diary of the hooks: one line for each event that did
// something, for "mneme hooks log" and "mneme doctor". It is where a hook's
// diagnostics go, since Claude Code reads the rest.
//
// A line holds names, numbers and ids, and no words of a memory or of a session; the
// description of an error was redacted. The log keeps to a size: when it is
// full it becomes the old one, and the one that was old goes.
package hooklog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// MaxBytes bounds one of the two files.
const MaxBytes = 2 << 20

// The bounds of a line: one write of less than a page is not torn by another.
const (
	maxLine   = 4 << 10
	maxDetail = 400
)

// The outcomes.
const (
	OK      = "ok"      // did what it is for
	Nothing = "nothing" // there was nothing to do
	Down    = "down"    // mneme did not answer: what must not be lost was spooled
	Late    = "late"    // the deadline came first
	Failed  = "failed"  // an error; Detail says which
)

// Entry is one line.
type Entry struct {
	At         time.Time  `json:"at"`
	Event      string     `json:"event"` // as Claude Code calls it
	Session    string     `json:"session,omitempty"`
	Project    string     `json:"project,omitempty"`
	Tool       string     `json:"tool,omitempty"`
	TookMillis float64    `json:"took_ms"`
	Outcome    string     `json:"outcome"`
	Detail     string     `json:"detail,omitempty"` // redacted, in a few words
	Injected   []Injected `json:"injected,omitempty"`
	Tokens     int        `json:"tokens,omitempty"` // of what was injected, estimated
	Duplicate  string     `json:"duplicate,omitempty"`
	Credited   []string   `json:"credited,omitempty"`  // ids whose fix helped
	Discarded  []string   `json:"discarded,omitempty"` // ids whose fix did not
	Used       []string   `json:"used,omitempty"`      // injected ids that showed up in the work
	Extracted  int        `json:"extracted,omitempty"` // candidates that were found
	Saved      int        `json:"saved,omitempty"`     // of them, new memories
	Spooled    int        `json:"spooled,omitempty"`   // requests that wait
	Delivered  int        `json:"delivered,omitempty"` // requests that had waited
	Quarantine int        `json:"quarantined,omitempty"`
}

// Injected is one memory that was put in front of the model.
type Injected struct {
	ID string `json:"id"`
}

// Path returns where a home's log is.
func Path(home string) string { return filepath.Join(home, "logs", "hooks.jsonl") }

func oldPath(home string) string { return Path(home) + ".1" }

// Append writes one line, for its owner alone to read.
func Append(home string, e Entry) error {
	e.Detail = memory.Clip(e.Detail, maxDetail)
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write hook log: %w", err)
	}
	if len(line) > maxLine { // many injections: their ids are in the audit
		e.Injected = nil
		if line, err = json.Marshal(e); err != nil {
			return fmt.Errorf("write hook log: %w", err)
		}
	}
	if err := config.EnsureHome(home); err != nil {
		return fmt.Errorf("write hook log: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(Path(home)), 0o700); err != nil {
		return fmt.Errorf("write hook log: %w", err)
	}
	if err := rotate(home); err != nil {
		return err
	}
	f, err := os.OpenFile(Path(home), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("write hook log: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write hook log: %w", err)
	}
	return nil
}

// rotate makes room. Two hooks that do it at once lose old lines at worst.
func rotate(home string) error {
	info, err := os.Stat(Path(home))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() < MaxBytes {
		return nil
	}
	if err != nil {
		return fmt.Errorf("rotate hook log: %w", err)
	}
	if err := os.Rename(Path(home), oldPath(home)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("rotate hook log: %w", err)
	}
	return nil
}

// Read returns the last lines, oldest first: at most n of them (0 means all),
// of one session if it is named. Lines that cannot be read are passed over.
func Read(home, session string, n int) ([]Entry, error) {
	var out []Entry
	for _, path := range []string{oldPath(home), Path(home)} {
		entries, err := readFile(path, session)
		if err != nil {
			return nil, err
		}
		out = append(out, entries...)
	}
	if n > 0 && len(out) > n {
		out = slices.Clone(out[len(out)-n:])
	}
	return out, nil
}

func readFile(path, session string) ([]Entry, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read hook log: %w", err)
	}
	defer f.Close()
	var out []Entry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Event == "" {
			continue
		}
		if session == "" || e.Session == session {
			out = append(out, e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read hook log: %w", err)
	}
	return out, nil
}
