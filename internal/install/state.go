package install

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/mneme-memory/mneme/memory"
)

// state is what the data folder remembers of the connections.
type state struct {
	Connections []record `json:"connections"` // in the order they were made

	home string
}

// record is one connection.
type record struct {
	Key       string       `json:"key"`
	Mode      Mode         `json:"mode"`
	Scope     Scope        `json:"scope"`
	Dir       string       `json:"dir,omitempty"`
	UserHome  string       `json:"user_home"`
	ConfigDir string       `json:"config_dir,omitempty"`
	Files     []fileRecord `json:"files"`
}

// fileRecord is the history of one file.
type fileRecord struct {
	Path     string   `json:"path"`
	Before   string   `json:"before"`              // hash of what it held before us; empty if it did not exist
	Wrote    []string `json:"wrote"`               // hashes of what was written over that
	Edits    []edit   `json:"edits"`               // our entries
	ByClient bool     `json:"by_client,omitempty"` // written by Claude Code at our wish
	Dirs     []string `json:"dirs,omitempty"`      // folders that were made for it, innermost first
}

func (r record) file(path string) (fileRecord, bool) {
	i := slices.IndexFunc(r.Files, func(f fileRecord) bool { return f.Path == path })
	if i < 0 {
		return fileRecord{}, false
	}
	return r.Files[i], true
}

// dirs lists the folders that were made for the files, the innermost first.
func (r record) dirs() []string {
	var out []string
	for _, f := range r.Files {
		out = append(out, f.Dirs...)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return out
}

func folder(home string) string    { return filepath.Join(home, "install") }
func statePath(home string) string { return filepath.Join(folder(home), "state.json") }

// lock keeps other processes from connecting at the same time.
func lock(ctx context.Context, home string) (unlock func(), err error) {
	if err := os.MkdirAll(folder(home), 0o700); err != nil {
		return nil, fmt.Errorf("make folder for backups: %w", err)
	}
	l := flock.New(filepath.Join(home, "install.lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, memory.Errorf(memory.Conflict, "wait until it is done", "another install or uninstall is running: %w", err)
	}
	return func() { l.Unlock() }, nil //nolint:errcheck // the end of the process lets it go as well
}

func loadState(home string) (*state, error) {
	s := &state{home: home}
	c, err := load(statePath(home))
	if err != nil || !c.exists {
		return s, err
	}
	if err := json.Unmarshal(c.data, s); err != nil {
		return nil, memory.Errorf(memory.Internal, "look at the files in "+folder(home),
			"read what was installed, %s: %w", statePath(home), err)
	}
	return s, nil
}

func (s *state) save() error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode what was installed: %w", err)
	}
	return save(statePath(s.home), content{data: append(data, '\n'), exists: true}, 0o600)
}

func (s *state) find(key string) (record, bool) {
	i := slices.IndexFunc(s.Connections, func(r record) bool { return r.Key == key })
	if i < 0 {
		return record{}, false
	}
	return s.Connections[i], true
}

// put replaces the record of its key, or adds it.
func (s *state) put(r record) {
	i := slices.IndexFunc(s.Connections, func(old record) bool { return old.Key == r.Key })
	if i < 0 {
		s.Connections = append(s.Connections, r)
		return
	}
	s.Connections[i] = r
}

// rebase records that the file of a later connection stands on another content.
func (s *state) rebase(c Change) error {
	r, ok := s.find(c.underKey)
	if c.under == nil || !ok {
		return nil
	}
	r.Files = slices.Clone(r.Files)
	for i := range r.Files {
		if r.Files[i].Path == c.under.Path {
			r.Files[i] = *c.under
		}
	}
	s.put(r)
	return keep(s.home, r.Key, c.Path, c.low)
}

func (s *state) remove(key string) {
	s.Connections = slices.DeleteFunc(s.Connections, func(r record) bool { return r.Key == key })
}

// backupPath is where the earlier content of a connection's file is kept. The
// content's hash is in the name, so that a new backup never replaces the one that
// the state on disk still means.
func backupPath(home, key, path, hash string) string {
	sum := sha256.Sum256([]byte(key + "\x00" + path + "\x00" + hash))
	return filepath.Join(folder(home), "before-"+hex.EncodeToString(sum[:12]))
}

func keep(home, key, path string, before content) error {
	if !before.exists {
		return nil
	}
	return save(backupPath(home, key, path, before.hash()), before, 0o600)
}

// earlier returns what a file held before the connection was made.
func earlier(home, key string, f fileRecord) (content, error) {
	if f.Before == "" {
		return content{}, nil
	}
	path := backupPath(home, key, f.Path, f.Before)
	c, err := load(path)
	if err != nil {
		return content{}, err
	}
	if c.hash() != f.Before {
		return content{}, memory.Errorf(memory.Internal, "take our entries out by hand: all have \"mneme\" in their names",
			"the backup of %s is missing or damaged: %s", f.Path, path)
	}
	return c, nil
}

// tidy removes backups that no record means any more.
func (s *state) tidy() error {
	meant := map[string]bool{}
	for _, r := range s.Connections {
		for _, f := range r.Files {
			meant[backupPath(s.home, r.Key, f.Path, f.Before)] = true
		}
	}
	found, err := filepath.Glob(filepath.Join(folder(s.home), "before-*"))
	if err != nil {
		return fmt.Errorf("look for old backups: %w", err)
	}
	for _, path := range found {
		if meant[path] {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return nil
}
