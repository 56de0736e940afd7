package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Removal is what has to change to be connected no longer. Make it with [Remove].
type Removal struct {
	Changes []Change // of the user's files, in the order they are made
	// Connections says in words what is removed, such as "plugin, user".
	Connections []string

	home    string
	client  Client
	records []record
}

// Empty reports whether there is nothing to remove.
func (r *Removal) Empty() bool { return len(r.records) == 0 }

// Remove works out how to take back all that was installed from a data folder; a
// scope that is not empty limits it to that scope, for User whatever dir is, for
// the others in dir. client may be nil. Nothing is written.
func Remove(home string, scope Scope, dir string, client Client) (*Removal, error) {
	s, err := loadState(home)
	if err != nil {
		return nil, err
	}
	out := &Removal{home: home, client: client}
	for _, r := range slices.Backward(s.Connections) { // the last one first, as on a stack
		if scope != "" && (r.Scope != scope || scope != User && r.Dir != dir) {
			continue
		}
		words := fmt.Sprintf("%s, %s scope", r.Mode, r.Scope)
		if r.Dir != "" && r.Scope != User {
			words += " of " + r.Dir
		}
		out.records, out.Connections = append(out.records, r), append(out.Connections, words)
		for _, f := range r.Files {
			c, err := restored(s, r, f)
			if err != nil {
				return nil, err
			}
			if c.after.hash() != c.before.hash() && !f.ByClient {
				out.Changes = append(out.Changes, c)
			}
		}
	}
	return out, nil
}

// Apply takes everything back.
func (r *Removal) Apply(ctx context.Context) error {
	unlock, err := lock(ctx, r.home)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := loadState(r.home)
	if err != nil {
		return err
	}
	for _, rec := range r.records {
		if _, ok := s.find(rec.Key); !ok {
			continue // another process was faster
		}
		if err := removeOne(ctx, s, rec, r.client); err != nil {
			return fmt.Errorf("uninstall: %w", err)
		}
	}
	if len(s.Connections) > 0 {
		return s.tidy()
	}
	return removePayload(r.home)
}

// removeOne takes one connection back: the files first, so that one that dies in
// between finds its record and goes on.
func removeOne(ctx context.Context, s *state, r record, client Client) error {
	var changes []Change
	for _, f := range r.Files {
		if f.ByClient {
			continue
		}
		c, err := restored(s, r, f) // before Claude Code touches it
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	if r.Mode == Plugin {
		if err := disconnect(ctx, s, r, client); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if err := s.rebase(c); err != nil {
			return err
		}
	}
	if err := s.save(); err != nil {
		return err
	}
	for _, c := range changes {
		f, _ := r.file(c.Path)
		if err := putBack(c, s, r, f); err != nil {
			return err
		}
	}
	if err := removeEmpty(r.dirs()); err != nil {
		return err
	}
	s.remove(r.Key)
	return s.save()
}

// putBack writes what a file is to hold. Claude Code may have run since and have
// written it in its own form; that is replaced.
func putBack(c Change, s *state, r record, f fileRecord) error {
	if c.after.hash() == c.before.hash() && r.Mode != Plugin {
		return nil
	}
	if !c.before.exists { // it was gone before we began, and Claude Code may have made it again
		again, err := restored(s, r, f)
		if err != nil {
			return err
		}
		c = again
	}
	return save(c.Path, c.after, 0o600)
}

// removePayload removes what was put into the data folder.
func removePayload(home string) error {
	o := Options{Home: home}
	var failed []error
	for _, program := range []string{serverProgram, hookProgram, mainProgram} {
		failed = append(failed, removeFile(filepath.Join(o.programs(), program)))
	}
	failed = append(failed, removeEmpty([]string{o.programs()}), os.RemoveAll(o.marketplace()), os.RemoveAll(folder(home)))
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("remove what was installed: %w", err)
	}
	return nil
}
