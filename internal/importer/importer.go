// Package importer reads files that people have before they use mneme: Markdown notes, issues, and the
// exports of other memory tools. Each format is a file of this package that turns bytes into memories
// to store, and counts the parts for which mneme has no place. The package itself stores nothing. It
// treats its input as untrusted: sizes are bounded, links are not followed, and a file that cannot be
// read is named.
package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// The formats.
const (
	JSONLines    = "jsonl" // mneme's own; read by the command, line by line
	Markdown     = "markdown"
	BasicMemory  = "basic-memory"
	GitHub       = "github"
	ClaudeMem    = "claude-mem"
	MCPMemory    = "mcp-memory-service"
	Mem0         = "mem0"
	ServerMemory = "server-memory"
)

// Formats lists the formats in the order they are shown.
func Formats() []string {
	return []string{JSONLines, Markdown, BasicMemory, GitHub, ClaudeMem, MCPMemory, Mem0, ServerMemory}
}

// The bounds of what is read.
const (
	maxExport = 256 << 20 // bytes of an export
	maxNote   = 4 << 20   // bytes of a Markdown file
	maxFiles  = 20_000    // Markdown files of a folder
	maxItems  = 500_000   // memories of one import
	maxShown  = 20        // problems that are kept with their reason
)

// Source is what to read: a file that is open, or a folder.
type Source struct {
	Name string   // as the user called it
	Path string   // absolute; "" for stdin
	File *os.File // nil for a folder
}

// Options say how to read.
type Options struct {
	// Format is one of Formats. Empty means that the content tells.
	Format string
	// Root is the folder that the places of Markdown files are told from, such as a repository's.
	// Empty means that places have whole paths, with the home folder as ~.
	Root string
}

// Found is what a source holds.
type Found struct {
	Format string
	// Items are the memories. The project of an item is as the other tool calls it; most have none.
	Items []memory.StoreInput
	Scope memory.ImportScope
	Files int // that were read
	// Left says, by kind, how much could not be carried over.
	Left []Left
	Bad  []Problem // the first of what could not be read
	Bads int       // all of them
}

// Left is one kind of thing that has no place in mneme.
type Left struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Problem is a part of a source that could not be read.
type Problem struct {
	Where string
	Why   string
}

// Read reads a source whole. An error means that it cannot be read at all.
func Read(ctx context.Context, src Source, o Options) (*Found, error) {
	c := &collector{found: &Found{}, left: map[string]int{}, refs: map[string]int{}}
	if err := c.read(ctx, src, o); err != nil {
		return nil, err
	}
	for what, n := range c.left {
		c.found.Left = append(c.found.Left, Left{what, n})
	}
	slices.SortFunc(c.found.Left, func(a, b Left) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.What, b.What)) })
	return c.found, nil
}

func (c *collector) read(ctx context.Context, src Source, o Options) error {
	format := o.Format
	if src.File == nil {
		if format != "" && format != Markdown && format != BasicMemory {
			return memory.Errorf(memory.Invalid, "give the file of the export",
				"%s is a folder, and %s is not read from folders", src.Name, format)
		}
		return c.folder(ctx, src, o)
	}
	data, err := readAll(src.File, src.Name, maxExport)
	if err != nil {
		return err
	}
	if format == "" {
		format = Detect(src.Path, data)
	}
	c.found.Format = format
	if parse := exports()[format]; parse != nil {
		return parse(ctx, c, data)
	}
	if format != Markdown && format != BasicMemory {
		return memory.Errorf(memory.Invalid, "use one of "+strings.Join(Formats(), ", "),
			"there is no format %q", format)
	}
	info, err := src.File.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", src.Name, err)
	}
	c.file(file{
		path: src.Path, ref: fileRef(src.Path, o.Root), data: data,
		changed: info.ModTime(), observations: format == BasicMemory,
	})
	if src.Path != "" {
		c.found.Scope = memory.ImportScope{Prefixes: []string{fileRef(src.Path, o.Root) + "#"}, Sync: true}
	}
	return nil
}

// exports are the formats that are one file of JSON.
func exports() map[string]func(context.Context, *collector, []byte) error {
	return map[string]func(context.Context, *collector, []byte) error{
		GitHub: readIssues, ClaudeMem: readClaudeMem, MCPMemory: readMCPMemory, Mem0: readMem0, ServerMemory: readGraph,
	}
}

func readAll(f io.ReadSeeker, name string, limit int64) ([]byte, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, memory.Errorf(memory.Invalid, "split it", "%s has more than %d MB", name, limit>>20)
	}
	return data, nil
}

// collector gathers what a format finds.
type collector struct {
	found *Found
	left  map[string]int
	refs  map[string]int // how often a place was named
}

// leave counts n things of a kind that have no place in mneme.
func (c *collector) leave(what string, n int) {
	if n > 0 {
		c.left[what] += n
	}
}

func (c *collector) bad(where, why string) {
	c.found.Bads++
	if len(c.found.Bad) < maxShown {
		c.found.Bad = append(c.found.Bad, Problem{where, why})
	}
}

// add takes a memory over. A text that is too long becomes several; a place that was named
// before gets a number.
func (c *collector) add(where string, in memory.StoreInput) {
	in.Text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(in.Text, "\uFFFD"), "\x00", ""))
	if in.Text == "" {
		c.leave("entries without a text", 1)
		return
	}
	if len(c.found.Items) >= maxItems {
		c.bad(where, fmt.Sprintf("is more than the %d memories of one import", maxItems))
		return
	}
	var over int
	in.Tags, over = tags(in.Tags)
	c.leave("tags beyond the 32 that a memory can have", over)
	in.Source, in.Session, in.Project = memory.SourceImport, name(in.Session), name(in.Project)
	parts := split(in.Text, memory.MaxTextBytes)
	ref := in.SourceRef
	for i, part := range parts {
		in.Text = part
		if ref != "" {
			in.SourceRef = c.place(ref, i)
		}
		if _, err := in.Clean(); err != nil {
			c.bad(where, err.Error())
			continue
		}
		c.found.Items = append(c.found.Items, in)
	}
}

// place returns the name of a place that nothing else has.
func (c *collector) place(ref string, part int) string {
	if part > 0 {
		ref += fmt.Sprintf(" (%d)", part+1)
	}
	ref = bounded(ref)
	c.refs[ref]++
	if n := c.refs[ref]; n > 1 {
		return c.place(ref+fmt.Sprintf(" [%d]", n), 0)
	}
	return ref
}

// bounded makes a place short enough, and of printable characters. The hash of what was cut
// keeps places apart.
func bounded(ref string) string {
	ref = printable(ref)
	if len(ref) <= memory.MaxRefBytes-16 { // room for the numbers of place
		return ref
	}
	sum := sha256.Sum256([]byte(ref))
	return memory.Clip(ref, memory.MaxRefBytes-80) + " " + hex.EncodeToString(sum[:8])
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// name makes a name of another tool one that mneme takes.
func name(s string) string {
	s = strings.TrimSpace(printable(s))
	for len(s) > memory.MaxNameBytes {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// tags makes tags of another tool such as mneme takes, and says how many were too many.
func tags(given []string) (out []string, over int) {
	for _, t := range given {
		t = strings.ToLower(strings.TrimSpace(printable(t)))
		for len(t) > memory.MaxTagBytes {
			_, size := utf8.DecodeLastRuneInString(t)
			t = t[:len(t)-size]
		}
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if over = len(out) - memory.MaxTags; over > 0 {
		return out[:memory.MaxTags], over
	}
	return out, 0
}

// kinds are what other tools call the types of mneme.
var kinds = map[string]string{
	"user": memory.TypePreference, "feedback": memory.TypePreference, "rule": memory.TypePreference, "style": memory.TypePreference,
	"project": memory.TypeFact, "context": memory.TypeFact, "knowledge": memory.TypeFact,
	"reference": memory.TypeNote, "doc": memory.TypeNote, "documentation": memory.TypeNote,
	"adr": memory.TypeDecision, "architecture": memory.TypeDecision, "design": memory.TypeDecision,
	"insight": memory.TypeLearning, "lesson": memory.TypeLearning, "discovery": memory.TypeLearning, "pattern": memory.TypeLearning,
	"howto": memory.TypeProcedure, "how-to": memory.TypeProcedure, "runbook": memory.TypeProcedure, "method": memory.TypeProcedure,
	"technique": memory.TypeProcedure, "workflow": memory.TypeProcedure,
	"bug": memory.TypeError, "bugfix": memory.TypeError, "problem": memory.TypeError, "issue": memory.TypeError, "fix": memory.TypeError,
	"feature": memory.TypeEpisode, "refactor": memory.TypeEpisode, "change": memory.TypeEpisode, "event": memory.TypeEpisode,
	"session": memory.TypeEpisode, "meeting": memory.TypeEpisode,
}

// kindOf returns the type of a memory that another tool calls word, or def, and the tags with
// the word in them where the type does not say it.
func kindOf(word, def string, given []string) (string, []string) {
	word = strings.ToLower(strings.TrimSpace(word))
	switch {
	case word == "":
		return def, given
	case memory.KnownType(word):
		return word, given
	case kinds[word] != "":
		return kinds[word], append(slices.Clone(given), word)
	default:
		return def, append(slices.Clone(given), word)
	}
}

// at returns a date that can be true: not before computers, and not in the future.
func at(t time.Time) *time.Time {
	if t.Year() < 1970 || t.After(time.Now().Add(24*time.Hour)) {
		return nil
	}
	t = t.UTC()
	return &t
}

// oneLine is a text without line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
