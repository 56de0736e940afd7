// Package session keeps what the hooks of one Claude Code session must know of
// each other: each is a process of its own, and several run at once.
//
// A session's [State] is a small file under the home folder. It is changed by
// [Store.Update] alone: read, changed and replaced in one step, under a lock
// that the kernel gives back when a hook is killed. Files of sessions that are
// long over are removed.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/internal/transcript"
)

// Lifetime is how long the state of a session is kept after its last hook:
// as long as Claude Code keeps the transcript, so that a session that is
// resumed is not read from its beginning.
const Lifetime = 30 * 24 * time.Hour

// The bounds of a state.
const (
	maxInjected = 60
	maxFailures = 20
	maxFiles    = 2000 // sessions; the oldest go first
	maxEmpty    = 40   // the latest sessions are kept also when nothing was said in them
	maxBytes    = 1 << 20
)

const (
	suffix = ".json"
	// sweeperFile is empty; its time is that of a sweeper's last round.
	sweeperFile = ".sweeper"
	// tempPattern are half-written files: hidden ones, with digits after the name.
	tempPattern = ".*" + suffix + "[0-9]*"
	staleTemp   = time.Minute
	locks       = 16 // files that sessions share, so that none is left behind for each
	lockPoll    = 5 * time.Millisecond
)

// State is what the hooks of a session know.
type State struct {
	Session    string                `json:"session"`
	Project    string                `json:"project,omitempty"`
	Dir        string                `json:"dir,omitempty"` // that Claude Code was started in
	Transcript string                `json:"transcript,omitempty"`
	Checkpoint transcript.Checkpoint `json:"checkpoint"`           // how far the transcript was taken
	Extracted  int                   `json:"extracted,omitempty"`  // candidates taken from it
	Saved      int                   `json:"saved,omitempty"`      // new memories since the last compaction
	Topic      string                `json:"topic,omitempty"`      // what the person asked for last, redacted
	Injected   []Injection           `json:"injected,omitempty"`   // oldest first
	Failures   []Failure             `json:"failures,omitempty"`   // not yet resolved, oldest first
	Asked      []string              `json:"asked,omitempty"`      // errors whose fix the model was asked to keep
	Ended      bool                  `json:"ended,omitempty"`      // swept to its end
	Open       *Unfinished           `json:"open,omitempty"`       // what it left undone when it ended
	Points     *Points               `json:"points,omitempty"`     // what it said is still to be done
	SweptSize  int64                 `json:"swept_size,omitempty"` // of the transcript when it was last swept to its end
}

// Injection is one memory that the session was shown.
type Injection struct {
	ID    string   `json:"id"`
	Text  string   `json:"text"`            // as it was shown, so that extraction does not learn it again
	Terms []string `json:"terms,omitempty"` // what shows that it was used
	Used  bool     `json:"used,omitempty"`

	// The fields below are needed to show it again after a compaction.
	Type      string    `json:"type,omitempty"`
	Project   string    `json:"project,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// Failure is a command or tool call that failed and has not succeeded since.
type Failure struct {
	Tool    string   `json:"tool"`
	Command string   `json:"command,omitempty"` // of Bash, redacted
	Key     string   `json:"key"`               // of the call, for what is sent about it
	Fixes   []string `json:"fixes,omitempty"`   // ids that were shown for it and are not judged yet
	News    string   `json:"news,omitempty"`    // the error in a line, redacted, when no memory spoke of it
	Acted   bool     `json:"acted,omitempty"`   // something was done since that can have mended it

	Error string    `json:"error,omitempty"` // in a line, redacted; of Bash
	At    time.Time `json:"at"`
}

// Unfinished is an error that a session did not get rid of.
type Unfinished struct {
	Command string    `json:"command"` // redacted
	Error   string    `json:"error"`   // in a line, redacted
	At      time.Time `json:"at"`
}

// Points are what a session said is still to be done; none if it said that all is done.
type Points struct {
	Items []string  `json:"items"` // redacted
	At    time.Time `json:"at"`
}

// Saw reports whether the session was shown a memory.
func (s *State) Saw(id string) bool {
	return slices.ContainsFunc(s.Injected, func(i Injection) bool { return i.ID == id })
}

// Show notes what the session is shown.
func (s *State) Show(list ...Injection) {
	for _, one := range list {
		s.Injected = slices.DeleteFunc(s.Injected, func(i Injection) bool { return i.ID == one.ID })
		s.Injected = append(s.Injected, one)
	}
	s.Injected = s.Injected[max(0, len(s.Injected)-maxInjected):]
}

// Texts returns what the session was shown.
func (s *State) Texts() []string {
	out := make([]string, len(s.Injected))
	for i, one := range s.Injected {
		out[i] = one.Text
	}
	return out
}

// Fail notes a failure.
func (s *State) Fail(f Failure) {
	s.Failures = append(s.Failures, f)
	s.Failures = s.Failures[max(0, len(s.Failures)-maxFailures):]
}

// Store is the folder of all sessions' states.
type Store struct {
	dir string
	now func() time.Time
}

// Open returns the states of a home folder. Nothing is created before the
// first Update.
func Open(home string) *Store { return &Store{dir: filepath.Join(home, "sessions"), now: time.Now} }

// name keeps whatever a session calls itself out of the file system.
func name(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, name(id)+suffix) }

// Get returns a session's state; ok is false when there is none.
func (s *Store) Get(id string) (state State, ok bool, err error) {
	data, err := os.ReadFile(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return State{Session: id}, false, nil
	}
	if err != nil {
		return State{Session: id}, false, fmt.Errorf("read session: %w", err)
	}
	// A file that is no state, or another session's, is as if it were not there.
	if len(data) > maxBytes || json.Unmarshal(data, &state) != nil || state.Session != id {
		return State{Session: id}, false, nil
	}
	return state, true, nil
}

// Update changes a session's state. Do may be nil to only touch it; when it
// returns an error nothing is written. The state is on the disk when Update
// returns nil.
func (s *Store) Update(ctx context.Context, id string, do func(*State) error) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create session folder: %w", err)
	}
	unlock, err := s.lock(ctx, "state-"+name(id)[:1])
	if err != nil {
		return err
	}
	defer unlock()
	state, _, err := s.Get(id)
	if err != nil {
		return err
	}
	if do != nil {
		if err := do(&state); err != nil {
			return err
		}
	}
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	if err := renameio.WriteFile(s.path(id), data, 0o600, renameio.WithTempDir(s.dir)); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

// LockSweep makes the caller the only one who reads a session's transcript.
// It waits until ctx ends.
func (s *Store) LockSweep(ctx context.Context, id string) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("create session folder: %w", err)
	}
	return s.lock(ctx, "sweep-"+name(id)[:1])
}

// lock takes one of the files that sessions share for locking.
func (s *Store) lock(ctx context.Context, which string) (unlock func(), err error) {
	l := flock.New(filepath.Join(s.dir, "."+which+".lock"), flock.SetPermissions(0o600))
	ok, err := l.TryLockContext(ctx, lockPoll)
	if err != nil {
		return nil, fmt.Errorf("lock session: %w", err)
	}
	if !ok {
		return nil, errors.New("lock session: another hook holds it")
	}
	return func() { _ = l.Unlock() }, nil // closing the file is all that can fail
}

// Leave notes that a session is over. One that left nothing worth keeping is
// forgotten at once.
func (s *Store) Leave(ctx context.Context, id string) error {
	state, ok, err := s.Get(id)
	if err != nil || !ok {
		return err
	}
	if _, err := os.Stat(state.Transcript); err != nil && state.Checkpoint.IsZero() {
		return s.remove(name(id) + suffix)
	}
	return s.Update(ctx, id, func(state *State) error {
		state.Ended, state.Failures = true, nil
		return nil
	})
}

// NoteSweeper notes that a sweeper of this folder's sessions is at work. Where
// there was no session yet, nothing is written.
func (s *Store) NoteSweeper(now time.Time) error {
	path := filepath.Join(s.dir, sweeperFile)
	err := os.Chtimes(path, now, now)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.WriteFile(path, nil, 0o600); err == nil {
			err = os.Chtimes(path, now, now)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note the sweeper: %w", err)
	}
	return nil
}

// SweeperSeen returns when a sweeper was at work last, zero if none ever was.
func (s *Store) SweeperSeen() time.Time {
	info, err := os.Stat(filepath.Join(s.dir, sweeperFile))
	if err != nil {
		return time.Time{} // none, or none that can be known of
	}
	return info.ModTime()
}

// looked bounds how many sessions' files are read to find some.
const looked = 60

// Find returns the states that keep accepts among the sessions that were
// active last, the latest first, at most n.
func (s *Store) Find(n int, keep func(State) bool) ([]State, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var out []State
	for _, f := range slices.Backward(files[max(0, len(files)-looked):]) {
		if len(out) == n {
			break
		}
		data, err := os.ReadFile(filepath.Join(s.dir, f.Name()))
		var state State
		if err != nil || json.Unmarshal(data, &state) != nil {
			continue // removed since, or no state
		}
		if keep(state) {
			out = append(out, state)
		}
	}
	return out, nil
}

// Clean removes what sessions that are long over and hooks that were killed
// left behind.
func (s *Store) Clean() error {
	names, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read session folder: %w", err)
	}
	for _, n := range names {
		if half, err := filepath.Match(tempPattern, n.Name()); err != nil || !half {
			continue
		}
		if info, err := n.Info(); err == nil && s.now().Sub(info.ModTime()) > staleTemp {
			if err := s.remove(n.Name()); err != nil {
				return err
			}
		}
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	for i, f := range files {
		old := s.now().Sub(f.ModTime()) > Lifetime
		if old || len(files)-i > maxFiles || len(files)-i > maxEmpty && s.empty(f.Name()) {
			if err := s.remove(f.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty reports whether a session has no transcript: it was started and
// nothing was said, or the client has removed it.
func (s *Store) empty(file string) bool {
	data, err := os.ReadFile(filepath.Join(s.dir, file))
	var state State
	if err != nil || json.Unmarshal(data, &state) != nil {
		return true
	}
	_, err = os.Stat(state.Transcript)
	return errors.Is(err, fs.ErrNotExist)
}

func (s *Store) remove(file string) error {
	if err := os.Remove(filepath.Join(s.dir, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove session: %w", err)
	}
	return nil
}

// files returns the states' files, oldest first.
func (s *Store) files() ([]fs.FileInfo, error) {
	names, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read session folder: %w", err)
	}
	var out []fs.FileInfo
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), suffix) {
			continue
		}
		if info, err := n.Info(); err == nil && info.Mode().IsRegular() {
			out = append(out, info)
		}
	}
	slices.SortFunc(out, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	return out, nil
}
