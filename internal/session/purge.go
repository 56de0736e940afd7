package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
)

// Purge takes from all states what was shown of some memories, and every text of which holds says
// so. What is known of a session besides stays: how far its transcript was taken, for one. It
// returns how many states it changed.
func (s *Store) Purge(ctx context.Context, ids map[string]bool, holds func(text string) bool) (int, error) {
	files, err := s.files()
	if err != nil {
		return 0, err
	}
	changed := 0
	for _, f := range files {
		did, err := s.purge(ctx, f.Name(), ids, holds)
		if err != nil {
			return changed, err
		}
		if did {
			changed++
		}
	}
	return changed, nil
}

func (s *Store) purge(ctx context.Context, file string, ids map[string]bool, holds func(string) bool) (bool, error) {
	unlock, err := s.lock(ctx, "state-"+file[:1])
	if err != nil {
		return false, err
	}
	defer unlock()
	path := filepath.Join(s.dir, file)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read session: %w", err)
	}
	var state State
	if len(data) > maxBytes || json.Unmarshal(data, &state) != nil {
		if holds(string(data)) { // nobody can read it as a state either
			return true, s.remove(file)
		}
		return false, nil
	}
	if !state.purge(ids, holds) {
		return false, nil
	}
	if data, err = json.Marshal(state); err != nil {
		return false, fmt.Errorf("write session: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("read session: %w", err)
	}
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(s.dir)); err != nil {
		return false, fmt.Errorf("write session: %w", err)
	}
	// The time of a state is when its session was last active.
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		return false, fmt.Errorf("write session: %w", err)
	}
	return true, nil
}

// purge reports whether it changed the state.
func (s *State) purge(ids map[string]bool, holds func(string) bool) bool {
	before := len(s.Injected) + len(s.Failures) + len(s.Asked)
	s.Injected = slices.DeleteFunc(s.Injected, func(i Injection) bool { return ids[i.ID] || holds(i.Text) })
	s.Failures = slices.DeleteFunc(s.Failures, func(f Failure) bool { return holds(f.Command) || holds(f.News) })
	s.Asked = slices.DeleteFunc(s.Asked, holds)
	changed := len(s.Injected)+len(s.Failures)+len(s.Asked) != before
	if s.Topic != "" && holds(s.Topic) {
		s.Topic, changed = "", true
	}
	return changed
}
