package importer

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/memory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// read reads a file or a folder.
func read(t *testing.T, path string, o Options) *Found {
	t.Helper()
	found, err := tryRead(t, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func tryRead(t *testing.T, path string, o Options) (*Found, error) {
	t.Helper()
	src := Source{Name: filepath.Base(path), Path: path}
	if info, err := os.Stat(path); err != nil {
		t.Fatal(err)
	} else if !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		src.File = f
	}
	return Read(t.Context(), src, o)
}

// TestFormats reads a fixture of each format, and compares the memories with those in the golden
// file beside the fixture.
func TestFormats(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]string{
		"MEMORY.md": Markdown, "basic.md": BasicMemory, "graph.jsonl": ServerMemory, "mem0.json": Mem0, "mcp.json": MCPMemory,
		"claude-mem.json": ClaudeMem, "issues.json": GitHub, "notes": Markdown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := filepath.Abs(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			found := read(t, path, Options{Root: filepath.Dir(path)})
			if found.Format != format {
				t.Errorf("it was read as %s", found.Format)
			}
			if found.Format == Markdown {
				for i := range found.Items { // the time of a file is that of its checkout
					found.Items[i].CreatedAt = nil
				}
			}
			got, err := json.MarshalIndent(found, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, data, want string }{
		{"a.md", `{"text": "x"}`, Markdown},
		{"", "Some words.", Markdown},
		{"a.jsonl", "broken", JSONLines},
		{"a.json", "", JSONLines},
		{"x", "\x00\x01", JSONLines},
		{"a.jsonl", "{\"text\":\n{", JSONLines},
		{"a.jsonl", `{"text": "x", "id": "1"}`, JSONLines},
		{"a.json", "\xef\xbb\xbf  [ {\"memory\": \"x\"} ]", Mem0},
		{"a.json", `{"entities": [], "relations": []}`, ServerMemory},
		{"a.json", `{"type":"relation","from":"a","to":"b"}`, ServerMemory},
		{"a.json", `{"number": 3, "title": "x"}`, GitHub},
		{"a.json", `{"exportedAt": "x", "totalObservations": 2, "observations": [`, ClaudeMem}, // only the beginning is known
		{"a.json", `{"export_metadata": {}, "memories": [{`, MCPMemory},
		{"a.json", `{"timestamp": "x", "total_memories": 2, "memories": []}`, MCPMemory},
		{"a.json", `[1, 2]`, JSONLines},
		{"a.json", `{"Text": "x"}`, JSONLines},
	} {
		if got := Detect(c.path, []byte(c.data)); got != c.want {
			t.Errorf("%s %q is %s, want %s", c.path, c.data, got, c.want)
		}
	}
}

// TestFolderStaysInside has links that lead out of a folder, and files that are no notes.
func TestFolderStaysInside(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "The safe's number is 4711.")
	write(t, filepath.Join(dir, "in.md"), "Inside.")
	write(t, filepath.Join(dir, "bad.md"), "caf\xe9")
	for _, name := range []string{"link.md", "folder"} {
		target := filepath.Join(outside, "secret.md")
		if name == "folder" {
			target = outside
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	found := read(t, dir, Options{Root: dir})
	if len(found.Items) != 1 || !strings.Contains(found.Items[0].Text, "Inside.") || found.Items[0].SourceRef != "file:in.md#" {
		t.Errorf("items %+v", found.Items)
	}
	if found.Bads != 1 || !cmp.Equal(found.Scope.Keep, []string{"file:bad.md"}) {
		t.Errorf("what cannot be read must stay as it was: %+v, bad %+v", found.Scope, found.Bad)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLongSectionsBecomeSeveral(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.md")
	write(t, path, "# Long\n\n"+strings.Repeat("A paragraph of some words.\n\n", 400)+strings.Repeat("x", 9000))
	found := read(t, path, Options{})
	if len(found.Items) < 4 {
		t.Fatalf("%d items", len(found.Items))
	}
	all := ""
	for i, in := range found.Items {
		all += strings.TrimPrefix(in.Text, "Long\n\n")
		if len(in.Text) > maxSection+10 || i > 0 && !strings.Contains(in.SourceRef, "(") {
			t.Errorf("item %d: %d bytes from %s", i, len(in.Text), in.SourceRef)
		}
	}
	if n := strings.Count(all, "paragraph"); n != 400 || strings.Count(all, "x") != 9000 {
		t.Errorf("%d paragraphs, %d x: something is lost", n, strings.Count(all, "x"))
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	memories := filepath.Join(home, "projects", "-home-me-app", "memory")
	write(t, filepath.Join(memories, "MEMORY.md"), "x")
	for _, c := range []struct {
		path  string
		isDir bool
		want  string
	}{
		{filepath.Join(work, "a.md"), false, work},
		{work, true, work},
		{filepath.Join(home, "CLAUDE.md"), false, ""},
		{filepath.Join(home, "rules"), true, ""},
		{filepath.Join(memories, "MEMORY.md"), false, memories}, // no transcript says more
	} {
		if got := Folder(c.path, c.isDir, home); got != c.want {
			t.Errorf("%s belongs to %q, want %q", c.path, got, c.want)
		}
	}
	write(t, filepath.Join(home, "projects", "-home-me-app", "1.jsonl"), "broken\n{\"type\":\"summary\"}\n{\"cwd\":\"/home/me/app\"}\n")
	if got := Folder(filepath.Join(memories, "MEMORY.md"), false, home); got != "/home/me/app" {
		t.Errorf("with a transcript it belongs to %q", got)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut.json")
	write(t, cut, `{"results": [{"memory": "x"}`)
	if _, err := tryRead(t, cut, Options{}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a file that is cut off: %v", err)
	}
	if _, err := tryRead(t, dir, Options{Format: Mem0}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a folder as an export: %v", err)
	}
	if _, err := tryRead(t, cut, Options{Format: "poem"}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an unknown format: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, Source{Name: "d", Path: dir}, Options{}); err == nil {
		t.Error("an interrupt must end the reading")
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	want := time.Date(2023, 1, 12, 17, 40, 0, 0, time.UTC)
	for _, v := range []any{
		1673545200.0, 1673545200000.0, "2023-01-12T17:40:00Z", "2023-01-12T18:40:00+01:00", "2023-01-12 17:40:00", "2023-01-12T17:40", want,
	} {
		if got, ok := moment(v); !ok || !got.Equal(want) {
			t.Errorf("%v is %v", v, got)
		}
	}
	for _, v := range []any{"soon", -1.0, 1e20, true, nil} {
		if got, ok := moment(v); ok {
			t.Errorf("%v is %v", v, got)
		}
	}
	if at(time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)) != nil || at(time.Time{}) != nil {
		t.Error("a date that cannot be true is none")
	}
}
