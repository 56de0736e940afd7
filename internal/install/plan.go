package install

import (
	"context"
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mneme-memory/mneme/memory"
)

// Plan is what has to change to be connected. Make it with [Prepare].
type Plan struct {
	Changes []Change  // of the user's files; none if all is as it should be
	Payload []Payload // of the data folder

	opts   Options
	state  *state
	old    *record // the connection of the same scope that is there already
	client bool    // Claude Code's command line has to run
}

// Change is one file of the user's before and after.
type Change struct {
	Path   string
	before content
	base   content // without our entries; the pre-image that is kept
	after  content
	edits  []edit
	// Edited says that the file was changed by somebody else since it was written,
	// so that it cannot be put back as it was.
	Edited   bool
	byClient bool
	under    *fileRecord // of the connection that was built on ours in this file, with a new base
	underKey string
	low      content // that base
}

// Diff shows the change as a unified diff.
func (c Change) Diff() string {
	from, to := c.Path, c.Path
	if !c.before.exists {
		from = "/dev/null"
	}
	if !c.after.exists {
		to = "/dev/null"
	}
	return string(diff.Diff(from, c.before.data, to, c.after.data))
}

// Removes reports whether the file will be gone.
func (c Change) Removes() bool { return c.before.exists && !c.after.exists }

// Empty reports whether there is nothing to do.
func (p *Plan) Empty() bool { return len(p.Changes) == 0 && len(p.Payload) == 0 && !p.client }

// Prepare works out what has to change. Nothing is written. Settings that are not
// valid JSON are an error of code Invalid.
func Prepare(o Options) (*Plan, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s, err := loadState(o.Home)
	if err != nil {
		return nil, err
	}
	p := &Plan{opts: o, state: s}
	if r, ok := s.find(o.key()); ok {
		p.old = &r
	}
	files, err := o.files()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := p.addFile(f); err != nil {
			return nil, err
		}
	}
	if err := p.leaveOthers(files); err != nil {
		return nil, err
	}
	if o.Mode == Plugin {
		if p.client, err = o.needsClient(p); err != nil {
			return nil, err
		}
	}
	p.Payload, err = o.payload()
	return p, err
}

// addFile plans the change of one file.
func (p *Plan) addFile(f file) error {
	if f.byClient {
		return nil // Claude Code writes it
	}
	c, err := p.change(f.path)
	if err != nil {
		return err
	}
	c.base = c.after
	done, err := parse(f.path, c.before.data)
	if err != nil {
		return err
	}
	if done.has(f.edits) && !p.outdated(f) {
		return nil
	}
	data := c.base.data
	if p.opts.Mode == Settings {
		if data, err = dropForgotten(f.path, data, f.edits, p.opts.programs()); err != nil {
			return err
		}
	}
	if data, err = apply(f.path, data, f.edits); err != nil {
		return err
	}
	c.after, c.edits = content{data: data, exists: true}, f.edits
	if c.after.hash() != c.before.hash() {
		p.Changes = append(p.Changes, c)
	}
	return nil
}

// outdated reports whether an earlier version wrote other entries into a file.
func (p *Plan) outdated(f file) bool {
	if p.old == nil {
		return false
	}
	r, ok := p.old.file(f.path)
	if !ok {
		return false
	}
	then, errThen := encode(r.Edits)
	now, errNow := encode(f.edits)
	return errThen != nil || errNow != nil || !same(then, now)
}

// change is a file as it is, and as it would be without our entries.
func (p *Plan) change(path string) (Change, error) {
	now, err := load(path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: path, before: now, after: now}
	if p.old == nil {
		return c, nil
	}
	f, ok := p.old.file(path)
	if !ok {
		return c, nil
	}
	return restored(p.state, *p.old, f)
}

// leaveOthers plans to restore the files that the connection of the same scope
// needed when it was of the other mode.
func (p *Plan) leaveOthers(files []file) error {
	if p.old == nil || p.old.Mode == p.opts.Mode {
		return nil
	}
	for _, f := range p.old.Files {
		needed := slices.ContainsFunc(files, func(n file) bool { return n.path == f.Path })
		if needed || f.ByClient {
			continue
		}
		c, err := restored(p.state, *p.old, f)
		if err != nil {
			return err
		}
		if c.after.hash() != c.before.hash() {
			p.Changes = append(p.Changes, c)
		}
	}
	return nil
}

// restored is a file as it is, and as it is put back.
func restored(s *state, r record, f fileRecord) (Change, error) {
	now, err := load(f.Path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: f.Path, before: now, after: now, edits: f.Edits, byClient: f.ByClient}
	if !now.exists || now.hash() == f.Before {
		return c, nil // it is gone, or was never changed
	}
	old, err := earlier(s.home, r.Key, f)
	if err != nil {
		return Change{}, err
	}
	if slices.Contains(f.Wrote, now.hash()) {
		c.after = old
		return c, nil
	}
	if done, err := c.unstack(s, r, f, old); done || err != nil {
		return c, err
	}
	c.Edited = true
	data, err := strip(f.Path, now.data, old.data, f.Edits, Options{Home: s.home}.programs())
	if err != nil {
		return Change{}, err
	}
	c.after = content{data: data, exists: true}
	if d, err := parse(f.Path, data); err == nil && !old.exists && empty(&d.root) {
		c.after = content{} // nothing but our entries was ever in it
	}
	return c, nil
}

// unstack takes a connection's entries from under those of one that was made later
// in the same file, which is put on the older content instead.
func (c *Change) unstack(s *state, r record, f fileRecord, old content) (bool, error) {
	for _, other := range s.Connections {
		top, ok := other.file(f.Path)
		if !ok || other.Key == r.Key || !slices.Contains(top.Wrote, c.before.hash()) || !slices.Contains(f.Wrote, top.Before) {
			continue
		}
		data, err := apply(f.Path, old.data, top.Edits)
		if err != nil {
			return false, err
		}
		c.after = content{data: data, exists: true}
		top.Before, top.Wrote, top.Dirs = f.Before, []string{c.after.hash()}, append(slices.Clone(top.Dirs), f.Dirs...)
		c.under, c.underKey, c.low = &top, other.Key, old
		return true, nil
	}
	return false, nil
}

// stale is the error of a plan that the files have left behind.
func stale(path string) error {
	return memory.Errorf(memory.Conflict, "run it again", "%s has changed in the meantime", path)
}

// Apply makes the changes. It fails with code Conflict, having changed nothing,
// when the files are no longer as the plan has seen them.
func (p *Plan) Apply(ctx context.Context) error {
	unlock, err := lock(ctx, p.opts.Home)
	if err != nil {
		return err
	}
	defer unlock()
	fresh, err := Prepare(p.opts) // another process may have been faster
	if err != nil {
		return err
	}
	for _, c := range fresh.Changes {
		known := slices.ContainsFunc(p.Changes, func(k Change) bool {
			return k.Path == c.Path && k.before.hash() == c.before.hash() && k.after.hash() == c.after.hash()
		})
		if !known {
			return stale(c.Path)
		}
	}
	if err := fresh.run(ctx); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}
