package qdrant

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/google/renameio/v2"
	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-memory/mneme/embedded/internal/folder"
	"github.com/mneme-memory/mneme/embedded/qdrant/internal/wal"
)

// A store is all collections, each in a folder of its own under a random name
// (a collection's name may be no file name), and their aliases.
type store struct {
	dir    string
	logger *slog.Logger

	changing sync.Mutex // held by whoever makes, drops or renames

	mu          sync.RWMutex
	collections map[string]*collection
	aliases     map[string]string

	tidying sync.WaitGroup
}

const (
	logName   = "points.log"
	aliasName = "aliases.json"
)

func openStore(ctx context.Context, dir string, logger *slog.Logger) (*store, error) {
	s := &store{dir: dir, logger: logger, collections: map[string]*collection{}, aliases: map[string]string{}}
	folders, err := filepath.Glob(filepath.Join(dir, "c-*"))
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	for _, folder := range folders {
		if err := errors.Join(ctx.Err(), s.open(folder)); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, aliasName))
	if err == nil {
		err = json.Unmarshal(data, &s.aliases)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("read aliases: %w", err), s.close())
	}
	return s, nil
}

// open reads a collection back. A folder without a configuration is what a
// crash left of a creation or a deletion that was not acknowledged.
func (s *store) open(folder string) error {
	c := &collection{dir: folder, logger: s.logger}
	indexes := map[string][]byte{}
	log, tear, err := wal.Open(filepath.Join(folder, logName), wal.Options{}, func(data []byte) error {
		r, err := decodeRecord(data)
		if err != nil {
			return err
		}
		switch r.kind { // indexes are filled once, at the end
		case recordIndex:
			indexes[r.name] = r.message
			return nil
		case recordNoIndex:
			delete(indexes, r.name)
		}
		return c.apply(r)
	})
	if err != nil {
		return fmt.Errorf("open collection: %w", err)
	}
	c.log = log
	if tear.Bytes > 0 {
		s.logger.Warn("cut unfinished write off the log", "collection", c.name, "bytes", tear.Bytes, "kept", tear.Saved)
	}
	if c.byID == nil {
		return errors.Join(log.Close(), os.RemoveAll(folder))
	}
	for field, message := range indexes {
		if err := c.putIndex(field, message); err != nil {
			return errors.Join(fmt.Errorf("open collection %s: %w", c.name, err), log.Close())
		}
	}
	s.collections[c.name] = c
	return nil
}

// close ends what runs in the background and makes all durable.
func (s *store) close() error {
	s.tidying.Wait()
	var errs []error
	for _, c := range s.collections {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// close waits for a write that is under way.
func (c *collection) close() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil
	}
	c.gone = true
	return c.log.Close()
}

// find returns a collection by its name or an alias.
func (s *store) find(name string) (*collection, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if target, ok := s.aliases[name]; ok {
		name = target
	}
	c := s.collections[name]
	if c == nil {
		return nil, noCollection(name)
	}
	return c, nil
}

// create makes a collection durable before it is known.
func (s *store) create(name string, config *pb.CollectionConfig) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.RLock()
	_, alias := s.aliases[name]
	_, exists := s.collections[name]
	s.mu.RUnlock()
	if exists {
		return alreadyExists(name)
	}
	if alias {
		return wrongInput("Can't create collection with name %s. Alias with the same name already exists", name)
	}
	message, err := proto.Marshal(config)
	if err != nil {
		return invalid("configuration: %v", err)
	}
	dir := filepath.Join(s.dir, "c-"+rand.Text())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return internal(err)
	}
	c := &collection{name: name, dir: dir, logger: s.logger}
	c.log, _, err = wal.Open(filepath.Join(dir, logName), wal.Options{}, func([]byte) error { return nil })
	if err != nil {
		return internal(errors.Join(err, os.RemoveAll(dir)))
	}
	position, err := c.commit(record{kind: recordConfig, name: name, message: message})
	if err == nil {
		err = errors.Join(c.log.Commit(position), folder.Sync(s.dir))
	}
	if err != nil {
		return internal(errors.Join(err, c.log.Close(), os.RemoveAll(dir)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collections[name] = c
	return nil
}

// drop deletes a collection and the aliases of it.
func (s *store) drop(name string) (bool, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	c := s.collections[name]
	delete(s.collections, name)
	aliases := len(s.aliases)
	for alias, target := range s.aliases {
		if target == name {
			delete(s.aliases, alias)
		}
	}
	changed := len(s.aliases) != aliases
	s.mu.Unlock()
	if c == nil {
		return false, nil
	}
	err := errors.Join(c.close(), os.RemoveAll(c.dir), folder.Sync(s.dir))
	if changed {
		err = errors.Join(err, s.saveAliases())
	}
	if err != nil {
		return false, internal(err)
	}
	return true, nil
}

// names lists the collections in order.
func (s *store) names() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var names []string
	for name := range s.collections {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// saveAliases replaces the file of aliases in one step that survives a crash.
func (s *store) saveAliases() error {
	s.mu.RLock()
	data, err := json.Marshal(s.aliases)
	s.mu.RUnlock()
	if err != nil {
		return fmt.Errorf("save aliases: %w", err)
	}
	path := filepath.Join(s.dir, aliasName)
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(s.dir)); err != nil {
		return fmt.Errorf("save aliases: %w", err)
	}
	return folder.Sync(s.dir)
}
