package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// remembered is how long a decision is remembered: longer than any memory
// counts as new.
const remembered = 90 * 24 * time.Hour

// State is which memories were decided on, so that the next review does not
// ask again.
type State struct {
	path    string
	decided map[string]time.Time
}

// stateJSON is the file.
type stateJSON struct {
	Decided map[string]time.Time `json:"decided"`
}

// LoadState reads the state of a home. A file that cannot be read as one is
// as good as none: it only means to be asked again.
func LoadState(home string) (*State, error) {
	s := &State{path: filepath.Join(home, "review.json"), decided: map[string]time.Time{}}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was reviewed: %w", err)
	}
	var file stateJSON
	if json.Unmarshal(data, &file) == nil && file.Decided != nil {
		s.decided = file.Decided
	}
	return s, nil
}

// Decided reports whether a memory was decided on.
func (s *State) Decided(id string) bool { _, ok := s.decided[id]; return ok }

// Add remembers the decisions that were carried out, and forgets old ones.
func (s *State) Add(outcomes []Outcome, now time.Time) error {
	for _, o := range outcomes {
		if !o.Done() {
			continue
		}
		for _, id := range append(o.With, o.ID, o.ResultID) {
			if id != "" {
				s.decided[id] = now.UTC()
			}
		}
	}
	for id, at := range s.decided {
		if now.Sub(at) > remembered {
			delete(s.decided, id)
		}
	}
	data, err := json.Marshal(stateJSON{s.decided})
	if err != nil {
		return fmt.Errorf("write what was reviewed: %w", err)
	}
	if err := renameio.WriteFile(s.path, data, 0o600, renameio.WithTempDir(filepath.Dir(s.path))); err != nil {
		return fmt.Errorf("write what was reviewed: %w", err)
	}
	return nil
}
