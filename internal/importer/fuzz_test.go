package importer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are the fixtures.
func seeds(f *testing.F, pattern string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// check holds what every import must keep to.
func check(t *testing.T, c *collector) {
	t.Helper()
	seen := map[string]bool{}
	for _, in := range c.found.Items {
		if _, err := in.Clean(); err != nil {
			t.Fatalf("an item that mneme refuses: %v\n%+v", err, in)
		}
		if in.SourceRef != "" && seen[in.SourceRef] {
			t.Fatalf("two items from %q", in.SourceRef)
		}
		seen[in.SourceRef] = true
	}
}

func collect() *collector {
	return &collector{found: &Found{}, left: map[string]int{}, refs: map[string]int{}}
}

func FuzzMarkdown(f *testing.F) {
	seeds(f, "*.md")
	f.Add([]byte("---\na: &a [*a]\n---\n# x\n~~~\n# y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, observed := range []bool{false, true} {
			c := collect()
			c.file(file{path: "a.md", ref: "file:a.md", data: data, observations: observed})
			check(t, c)
		}
	})
}

func FuzzExports(f *testing.F) {
	seeds(f, "*.json*")
	f.Fuzz(func(t *testing.T, data []byte) {
		Detect("", data)
		for _, parse := range exports() {
			c := collect()
			_ = parse(t.Context(), c, data) // a refusal is an answer
			check(t, c)
		}
	})
}

// FuzzSplit loses nothing but white space.
func FuzzSplit(f *testing.F) {
	f.Add("one two three", 5)
	f.Add("äöüäöüäöü", 4)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if !utf8.ValidString(text) || limit < 4 || limit > 100 {
			t.Skip()
		}
		parts := split(text, limit)
		for _, p := range parts {
			if len(p) > limit || !utf8.ValidString(p) {
				t.Fatalf("part %q", p)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(parts, "")) != squeeze(text) {
			t.Fatalf("%q became %q", text, parts)
		}
	})
}
