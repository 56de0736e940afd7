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

	"github.com/mneme-memory/mneme/memory"
)

// Sweep takes from all states what was shown of some memories, and hands every other text to clean.
// What clean leaves nothing of is taken out. What is known of a session besides stays: how far its
// transcript was taken, for one. Sweep returns how many states have to be changed, and with apply
// changes them.
func (s *Store) Sweep(ctx context.Context, apply bool, ids map[string]bool, clean memory.Cleaner) (int, error) {
	files, err := s.files()
	if err != nil {
		return 0, err
	}
	changed := 0
	for _, f := range files {
		did, err := s.sweep(ctx, f.Name(), apply, ids, clean)
		if err != nil {
			return changed, err
		}
		if did {
			changed++
		}
	}
	return changed, nil
}

func (s *Store) sweep(ctx context.Context, file string, apply bool, ids map[string]bool, clean memory.Cleaner) (bool, error) {
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
		_, changed := clean("", string(data))
		if changed && apply { // nobody can read it as a state either
			return true, s.remove(file)
		}
		return changed, nil
	}
	if changed := state.clean(ids, clean); !changed || !apply {
		return changed, nil
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

// clean reports whether it changed the state.
func (s *State) clean(ids map[string]bool, clean memory.Cleaner) bool {
	c := cleaning{clean: clean, project: s.Project}
	s.Injected = slices.DeleteFunc(s.Injected, func(i Injection) bool { return ids[i.ID] && c.drop() })
	s.Injected = cleanEach(&c, s.Injected, func(i *Injection) []*string {
		texts := []*string{&i.Text}
		for n := range i.Terms {
			texts = append(texts, &i.Terms[n])
		}
		return texts
	})
	s.Failures = cleanEach(&c, s.Failures, func(f *Failure) []*string { return []*string{&f.Command, &f.News, &f.Error} })
	s.Asked = cleanEach(&c, s.Asked, func(asked *string) []*string { return []*string{asked} })
	c.text(&s.Topic)
	if s.Open != nil && (c.text(&s.Open.Command) || c.text(&s.Open.Error)) {
		s.Open = nil
	}
	return c.changed
}

// cleaning is a cleaner at work on one state.
type cleaning struct {
	clean   memory.Cleaner
	project string
	changed bool
}

func (c *cleaning) drop() bool { c.changed = true; return true }

// text cleans one text, and reports whether the text is empty afterwards.
func (c *cleaning) text(text *string) (gone bool) {
	if *text == "" {
		return false
	}
	left, changed := c.clean(c.project, *text)
	if !changed {
		return false
	}
	*text, c.changed = left, true
	return left == ""
}

// cleanEach cleans the texts of each of a list, and leaves out those that lost one.
func cleanEach[T any](c *cleaning, list []T, texts func(*T) []*string) []T {
	out := list[:0]
	for i := range list {
		lost := false
		for _, text := range texts(&list[i]) {
			lost = c.text(text) || lost
		}
		if !lost {
			out = append(out, list[i])
		}
	}
	return out
}
