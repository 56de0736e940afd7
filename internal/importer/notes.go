package importer

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/memory"
)

// file is one Markdown file.
type file struct {
	path         string // as it is on disk; its name is the title of a note that has none
	ref          string // where its sections are from; "" for stdin
	data         []byte
	changed      time.Time
	observations bool // read as basic-memory writes them, whatever the front matter says
}

// fileRef is the place of a file: its path below root, else its whole path.
func fileRef(path, root string) string {
	if path == "" {
		return ""
	}
	if root != "" {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return "file:" + filepath.ToSlash(rel)
		}
	}
	return "file:" + project.Tilde(path)
}

// folder reads the Markdown files below a folder. Hidden folders and packages of others are
// passed by, and symbolic links are not followed.
func (c *collector) folder(ctx context.Context, src Source, o Options) error {
	root, err := os.OpenRoot(src.Path)
	if err != nil {
		return memory.Errorf(memory.Invalid, "give a folder that you may read", "open %s: %w", src.Name, err)
	}
	defer root.Close()
	ref := strings.TrimSuffix(fileRef(src.Path, o.Root), "/.") + "/"
	if ref == "file:./" {
		ref = "file:"
	}
	c.found.Format = Markdown
	c.found.Scope = memory.ImportScope{Prefixes: []string{ref}, Sync: true}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.unread(ref, name, err)
			return nil
		}
		return c.entry(root, ref, name, d, o)
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", src.Name, err)
	}
	return nil
}

// entry reads one entry of a folder, if it is a note.
func (c *collector) entry(root *os.Root, ref, name string, d fs.DirEntry, o Options) error {
	switch {
	case d.IsDir():
		if name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "vendor") {
			return fs.SkipDir
		}
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		c.leave("symbolic links, which are not followed", 1)
		return nil
	case !isMarkdown(name):
		c.leave("files that are not Markdown", 1)
		return nil
	case !d.Type().IsRegular():
		return nil
	case c.found.Files >= maxFiles:
		return memory.Errorf(memory.Invalid, "import its folders one by one",
			"there are more than %d Markdown files", maxFiles)
	}
	data, changed, err := readNote(root, name)
	if err != nil {
		c.unread(ref, name, err)
		return nil
	}
	c.file(file{
		path: name, ref: ref + filepath.ToSlash(name), data: data,
		changed: changed, observations: o.Format == BasicMemory,
	})
	return nil
}

func readNote(root *os.Root, name string) ([]byte, time.Time, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxNote+1))
	return data, info.ModTime(), err
}

// unread notes a file that could not be read. Memories that an earlier import made from this file
// are kept.
func (c *collector) unread(ref, name string, err error) {
	c.bad(name, "cannot be read: "+err.Error())
	keep := ref
	if name != "." {
		keep = ref + filepath.ToSlash(name)
	}
	c.found.Scope.Keep = append(c.found.Scope.Keep, bounded(keep))
}

func isMarkdown(name string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdown", ".mdx"}, strings.ToLower(filepath.Ext(name)))
}

// file reads one Markdown file.
func (c *collector) file(f file) {
	switch {
	case len(f.data) > maxNote:
		c.unread(f.ref, "", fmt.Errorf("%s has more than %d MB", path.Base(f.path), maxNote>>20))
		return
	case !utf8.Valid(f.data):
		c.unread(f.ref, "", fmt.Errorf("%s is not text in UTF-8", path.Base(f.path)))
		return
	}
	c.found.Files++
	head, body := frontMatter(string(f.data))
	c.leave("fields of front matter", head.others)
	n := note{c: c, file: f, front: head}
	n.base.Type, n.base.Tags = kindOf(head.kind, defaultKind(f.path), head.tags)
	if strings.EqualFold(head.kind, "note") {
		n.base.Type = memory.TypeNote
	}
	n.base.CreatedAt, n.base.Importance = head.created, head.importance
	if n.base.CreatedAt == nil {
		n.base.CreatedAt = at(f.changed)
	}
	if f.observations || head.permalink != "" {
		c.found.Format, n.observed = BasicMemory, true
	}
	all := sections(body)
	n.title = titleOf(head, f.path, all)
	for _, s := range all {
		n.section(s)
	}
}

// defaultKind is what the sections of a file are: facts in the memory of Claude Code, notes elsewhere.
func defaultKind(name string) string {
	switch strings.ToUpper(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))) {
	case "MEMORY", "CLAUDE", "CLAUDE.LOCAL", "AGENTS":
		return memory.TypeFact
	default:
		return memory.TypeNote
	}
}

// titleOf is what the sections of a note are about, if their headings do not say it.
func titleOf(head front, name string, all []section) string {
	if head.title != "" {
		return head.title
	}
	for _, s := range all {
		if len(s.path) > 0 {
			if slices.ContainsFunc(all, func(o section) bool { return len(o.path) > 0 && o.path[0] != s.path[0] }) {
				break // several headings of the first rank: none of them is the title
			}
			return ""
		}
	}
	stem := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	switch strings.ToUpper(stem) {
	case "MEMORY", "CLAUDE", "CLAUDE.LOCAL", "AGENTS", "README", "INDEX", ".", "":
		return ""
	}
	return stem
}

// note is a Markdown file while its sections are read.
type note struct {
	c        *collector
	file     file
	front    front
	title    string
	base     memory.StoreInput // what all its memories share
	observed bool              // lines of basic-memory are memories of their own
}

// imports are lines that have Claude Code read another file.
var imports = regexp.MustCompile(`^\s*(?:[-*]\s+)?@(?:~?/|\.{1,2}/|[\w.-]+/)?[\w./-]*\w\s*$`)

func (n *note) section(s section) {
	var kept []string
	fenced := ""
	for line := range strings.SplitSeq(s.body, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil && (fenced == "" || strings.HasPrefix(m[1], fenced)) {
			if fenced != "" {
				fenced = ""
			} else {
				fenced = m[1]
			}
		}
		switch {
		case fenced != "":
		case imports.MatchString(line):
			n.c.leave("lines that import another file (@…), which are not followed", 1)
			continue
		case n.observed && n.line(s, line):
			continue
		}
		kept = append(kept, line)
	}
	body := strings.TrimSpace(strings.Join(kept, "\n"))
	if strings.Trim(body, "-*_ \t\n") == "" {
		return // nothing, or a rule
	}
	heading := n.heading(s)
	for i, part := range split(body, maxSection) {
		in := n.base
		in.Text, in.SourceRef = part, n.ref(s, "")
		if heading != "" {
			in.Text = heading + "\n\n" + part
		}
		if i > 0 && in.SourceRef != "" {
			in.SourceRef += fmt.Sprintf(" (%d)", i+1)
		}
		n.c.add(n.file.path, in)
	}
}

// heading returns the line that is put above a section's text: the title of the note and the
// headings above the section, outermost first; for text before the first heading, the description of
// the note too.
func (n *note) heading(s section) string {
	path := s.path
	if n.title != "" && (len(path) == 0 || path[0] != n.title) {
		path = append([]string{n.title}, path...)
	}
	out := strings.Join(path, " > ")
	if len(s.path) == 0 && n.front.description != "" {
		out += ": " + n.front.description
	}
	return memory.Clip(out, 500)
}

// ref is the place of a section, or of a line in it.
func (n *note) ref(s section, line string) string {
	if n.file.ref == "" {
		return ""
	}
	ref := n.file.ref + "#" + strings.Join(s.path, " > ")
	if line != "" {
		ref += ": " + memory.ContentHash(line)[:12]
	}
	return ref
}
