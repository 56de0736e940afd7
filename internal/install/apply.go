package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/mneme-memory/mneme/memory"
)

// run makes the changes of a plan. What the data folder remembers is written
// before each step that it is about: whenever the process dies, an uninstall
// knows what may have been changed.
func (p *Plan) run(ctx context.Context) error {
	for _, f := range p.Payload {
		if err := f.write(); err != nil {
			return err
		}
	}
	s, err := loadState(p.opts.Home)
	if err != nil {
		return err
	}
	leaves := p.old != nil && p.old.Mode == Plugin && p.opts.Mode != Plugin
	if leaves {
		if err := disconnect(ctx, s, *p.old, p.opts.Client); err != nil {
			return err
		}
	}
	r, err := p.record()
	if err != nil {
		return err
	}
	for _, c := range p.Changes {
		if err := s.rebase(c); err != nil {
			return err
		}
	}
	if len(p.Changes) > 0 {
		s.remove(r.Key) // it is the topmost now
	}
	s.put(r)
	if err := s.save(); err != nil {
		return err
	}
	if err := p.writeFiles(leaves); err != nil {
		return err
	}
	if p.client {
		if err := p.connect(ctx, s, r); err != nil {
			return err
		}
	}
	if leaves {
		if err := removeEmpty(p.old.dirs()); err != nil {
			return err
		}
	}
	return s.tidy()
}

// record is what is remembered of the connection, with the backups in place.
func (p *Plan) record() (record, error) {
	o := p.opts
	r := record{Key: o.key(), Mode: o.Mode, Scope: o.Scope, Dir: o.Dir, UserHome: o.UserHome, ConfigDir: o.ConfigDir}
	files, err := o.files()
	if err != nil {
		return r, err
	}
	for _, f := range files {
		fr, err := p.fileRecord(f)
		if err != nil {
			return r, err
		}
		if fr.Path != "" {
			r.Files = append(r.Files, fr)
		}
	}
	return r, nil
}

// fileRecord is the record of one file; it is empty for a file that had all our
// entries without our doing.
func (p *Plan) fileRecord(f file) (fileRecord, error) {
	var old fileRecord
	if p.old != nil {
		old, _ = p.old.file(f.path)
	}
	i := slices.IndexFunc(p.Changes, func(c Change) bool { return c.Path == f.path })
	fr := fileRecord{Path: f.path, Edits: f.edits, ByClient: f.byClient, Dirs: old.Dirs}
	var base, after content
	switch {
	case i >= 0:
		base, after = p.Changes[i].base, p.Changes[i].after
	case old.Path != "":
		old.Edits = f.edits
		return old, nil
	case f.byClient:
		var err error
		if base, err = load(f.path); err != nil {
			return fr, err
		}
		after = base // until Claude Code has run
	default:
		return fileRecord{}, nil
	}
	fr.Before, fr.Wrote = base.hash(), []string{after.hash()}
	if old.Path != "" && old.Before == fr.Before {
		fr.Wrote = append(slices.Clone(old.Wrote), after.hash())
	}
	if err := keep(p.opts.Home, p.opts.key(), f.path, base); err != nil {
		return fr, err
	}
	made, err := makeDirs(f.path, p.opts.dirMode())
	fr.Dirs = append(made, fr.Dirs...)
	return fr, err
}

func (o Options) dirMode() fs.FileMode {
	if o.Scope == User {
		return 0o700
	}
	return 0o755
}

func (o Options) fileMode() fs.FileMode {
	if o.Scope == Project {
		return 0o644
	}
	return 0o600
}

// writeFiles writes the changed files. Each is looked at once more: Claude Code
// may be writing, too. When it has just run at our wish, what it wrote into the
// settings is replaced. Before it runs, our own entries are taken out of the
// settings: it puts its own entries in.
func (p *Plan) writeFiles(ran bool) error {
	for _, c := range p.Changes {
		now, err := load(c.Path)
		if err != nil {
			return err
		}
		settings := c.Path == p.opts.settingsPath()
		if now.hash() != c.before.hash() && (!ran || !settings) {
			return stale(c.Path)
		}
		to := c.after
		if p.client && settings {
			to = c.base
		}
		if err := save(c.Path, to, p.opts.fileMode()); err != nil {
			return err
		}
	}
	return nil
}

// connect lets Claude Code install the plugin and then writes the settings as they
// were shown: some versions of it write the whole file anew, in their own form.
func (p *Plan) connect(ctx context.Context, s *state, r record) error {
	settings := p.opts.settingsPath()
	was, err := load(settings)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"plugin", "marketplace", "add", p.opts.marketplace(), "--scope", string(p.opts.Scope)},
		{"plugin", "install", pluginID, "--scope", string(p.opts.Scope)},
	} {
		if out, err := p.opts.Client.Run(ctx, p.opts.workDir(), args...); err != nil {
			undo := save(settings, was, p.opts.fileMode())
			return memory.Errorf(memory.Internal, `"mneme uninstall" takes back what was done; "mneme install --settings" works without plugins`,
				"claude %s %s: %w: %s", args[0], args[1], errors.Join(err, undo), out)
		}
	}
	now, err := load(settings)
	if err != nil {
		return err
	}
	after, err := p.settled(settings, was, now)
	if err != nil {
		return err
	}
	for i, f := range r.Files {
		c := content{data: after, exists: true}
		if f.ByClient {
			if c, err = load(f.Path); err != nil {
				return err
			}
		} else if f.Path != settings {
			continue
		}
		r.Files[i].Wrote = append(f.Wrote, c.hash())
	}
	s.put(r)
	if err := s.save(); err != nil {
		return err
	}
	return save(settings, content{data: after, exists: true}, p.opts.fileMode())
}

// settled is what the settings shall hold after Claude Code has written them: the
// planned text, unless Claude Code has added more than its own entries.
func (p *Plan) settled(path string, was, now content) ([]byte, error) {
	files, err := p.opts.files()
	if err != nil {
		return nil, err
	}
	edits := files[0].edits
	planned := was
	if i := slices.IndexFunc(p.Changes, func(c Change) bool { return c.Path == path }); i >= 0 {
		planned = p.Changes[i].after
	}
	written, err := parse(path, now.data)
	if err != nil {
		return nil, err
	}
	if v := written.get("enabledPlugins", pluginID); v == nil || !same(v.Pack(), []byte("true")) {
		return nil, memory.Errorf(memory.Internal, `"mneme install --settings" works without plugins`,
			"Claude Code says that it installed the plugin, but %s does not enable it", path)
	}
	mine, err := parse(path, planned.data)
	if err != nil {
		return nil, err
	}
	if more(written, mine) {
		return apply(path, now.data, edits)
	}
	return planned.data, nil
}

// more reports whether a has a member at its top that b has not.
func more(a, b *document) bool {
	obj, ok := a.root.Value.(*hujson.Object)
	if !ok {
		return false
	}
	return slices.ContainsFunc(obj.Members, func(m hujson.ObjectMember) bool {
		lit, ok := m.Name.Value.(hujson.Literal)
		return ok && b.get(lit.String()) == nil
	})
}

// workDir is the folder to run Claude Code in: it finds the project by it.
func (o Options) workDir() string {
	if o.Scope == User {
		return o.UserHome
	}
	return o.Dir
}

// needsClient reports whether Claude Code does not know the plugin yet.
func (o Options) needsClient(p *Plan) (bool, error) {
	lists := filepath.Join(o.configDir(), "plugins")
	installed, err := load(filepath.Join(lists, "installed_plugins.json"))
	if err != nil {
		return false, err
	}
	known, err := load(filepath.Join(lists, "known_marketplaces.json"))
	if err != nil {
		return false, err
	}
	return p.old == nil || p.old.Mode != Plugin || !o.installed(installed.data) || !o.known(known.data), nil
}

// installed reports whether a list of plugins names ours in the scope. A list that
// cannot be read names nothing: Claude Code then says what is wrong with it.
func (o Options) installed(list []byte) bool {
	d, err := parse("installed_plugins.json", list)
	if err != nil {
		return false
	}
	v := d.get("plugins", pluginID)
	if v == nil {
		return false
	}
	entries, ok := v.Value.(*hujson.Array)
	return ok && slices.ContainsFunc(entries.Elements, func(e hujson.Value) bool {
		one := document{root: e}
		scope, dir := one.get("scope"), one.get("projectPath")
		if scope == nil || !same(scope.Pack(), quote(string(o.Scope))) {
			return false
		}
		return o.Scope == User || dir != nil && same(dir.Pack(), quote(o.Dir))
	})
}

func (o Options) known(list []byte) bool {
	d, err := parse("known_marketplaces.json", list)
	if err != nil {
		return false
	}
	v := d.get(name, "source", "path")
	return v != nil && same(v.Pack(), quote(o.marketplace()))
}

// disconnect lets Claude Code uninstall the plugin, and puts the lists that it
// keeps for itself back as they were if nobody else has changed them.
func disconnect(ctx context.Context, s *state, r record, client Client) error {
	type list struct {
		record fileRecord
		change Change
	}
	var lists []list
	for _, f := range r.Files {
		if !f.ByClient {
			continue
		}
		c, err := restored(s, r, f)
		if err != nil {
			return err
		}
		lists = append(lists, list{f, c})
	}
	shared := s.shares(r)
	ran := client != nil
	if ran {
		// A Claude Code that cannot do it has no say: its lists are put in order
		// below, which is all that it would do.
		ran = r.uninstall(ctx, shared, client) == nil
	}
	for _, l := range lists {
		if ran && (l.change.Edited || shared) {
			continue // as Claude Code has left it
		}
		if err := save(l.record.Path, l.change.after, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// shares reports whether another connection needs the marketplace, too.
func (s *state) shares(r record) bool {
	return slices.ContainsFunc(s.Connections, func(other record) bool { return other.Key != r.Key && other.Mode == Plugin })
}

// uninstall runs Claude Code's commands. A marketplace that is shared stays.
func (r record) uninstall(ctx context.Context, shared bool, client Client) error {
	o := Options{Scope: r.Scope, Dir: r.Dir, UserHome: r.UserHome}
	if out, err := client.Run(ctx, o.workDir(), "plugin", "uninstall", pluginID, "--scope", string(r.Scope)); err != nil {
		return fmt.Errorf("claude plugin uninstall: %w: %s", err, out)
	}
	if shared {
		return nil
	}
	if out, err := client.Run(ctx, o.workDir(), "plugin", "marketplace", "remove", name); err != nil {
		return fmt.Errorf("claude plugin marketplace remove: %w: %s", err, out)
	}
	return nil
}
