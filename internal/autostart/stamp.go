package autostart

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mneme-memory/mneme/internal/homestate"
)

const (
	// A process that was started has this long to take the daemon's lock; afterwards its
	// number may be another program's.
	lockWithin = 30 * time.Second

	firstPause = 15 * time.Second // after one failure; doubled with each further one
	mostPause  = 15 * time.Minute
)

// stamp tells of the last start. There is none when it came to a ready daemon.
type stamp struct {
	At       time.Time `json:"at"`
	PID      int       `json:"pid"`      // 0 if it never came to run
	Failures int       `json:"failures"` // starts that failed in a row before this one
}

func stampPath(home string) string { return filepath.Join(home, "autostart.json") }

// underWay reports whether the start may still take the daemon's lock.
func (s stamp) underWay(now time.Time) bool {
	age := now.Sub(s.At)
	return s.PID != 0 && age >= 0 && age < lockWithin && homestate.Exists(s.PID)
}

// failed counts the failures in a row, this start's included: it is asked when the start
// is over and there is no daemon.
func (s stamp) failed() int {
	if s.At.IsZero() {
		return 0
	}
	return min(s.Failures, 1000) + 1 // a stamp may hold any number
}

// next is when the next start may be made.
func (s stamp) next() time.Time {
	n := s.failed()
	if n == 0 {
		return time.Time{}
	}
	return s.At.Add(min(mostPause, firstPause<<min(n-1, 10)))
}

// readStamp reads the last start. A stamp that cannot be read counts as none: no
// daemon at all is worse than one start too many.
func readStamp(home string) (stamp, error) {
	var s stamp
	text, err := os.ReadFile(stampPath(home))
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, fmt.Errorf("read the last start: %w", err)
	}
	if json.Unmarshal(text, &s) != nil || s.Failures < 0 || s.PID < 0 {
		return stamp{}, nil
	}
	return s, nil
}

// write replaces the stamp in one step.
func (s stamp) write(home string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the start: %w", err)
	}
	fresh := stampPath(home) + ".new" // one writer at a time: it holds the lock
	if err := os.WriteFile(fresh, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("note the start: %w", err)
	}
	if err := os.Rename(fresh, stampPath(home)); err != nil {
		return fmt.Errorf("note the start: %w", err)
	}
	return nil
}

// confirm writes the stamp of a start that has come to run. A daemon that is ready by
// then has cleared the stamp before, and this one would count as a failure.
func (s stamp) confirm(home string) error {
	if err := s.write(home); err != nil {
		return err
	}
	if _, ready, err := homestate.Running(home); err != nil || !ready {
		return err
	}
	return Clear(home)
}

// Clear forgets the last start. The daemon calls it when it is ready.
func Clear(home string) error {
	if err := os.Remove(stampPath(home)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the last start: %w", err)
	}
	return nil
}

// Trouble is what went wrong with starting a home's daemon.
type Trouble struct {
	Failures int       // starts that failed in a row; 0 means no trouble
	Last     time.Time // when the last one was made
	Next     time.Time // before it none is made
}

// Look reports on the starts of a home that came to nothing.
func Look(home string, now time.Time) (Trouble, error) {
	s, err := readStamp(home)
	if err != nil || s.At.IsZero() || s.underWay(now) {
		return Trouble{}, err
	}
	if holder, err := homestate.Holder(home); err != nil || holder != 0 {
		return Trouble{}, err
	}
	return Trouble{Failures: s.failed(), Last: s.At, Next: s.next()}, nil
}
