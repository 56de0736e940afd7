package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// importServer is a server that remembers which batches were done.
type importServer struct {
	mu      sync.Mutex
	ids     map[string]bool
	batches map[int]int // size by number
	sizes   map[int]int // bytes of JSON by number
	before  func(ctx context.Context, number int) error
	flying  int
	most    int
}

func (i *importServer) client() fake {
	return fake{
		start: func(id string) (memory.ImportProgress, error) {
			i.mu.Lock()
			defer i.mu.Unlock()
			i.ids[id] = true
			return i.progress(), nil
		},
		batch: i.batch,
		finish: func(string) (memory.ImportProgress, error) {
			i.mu.Lock()
			defer i.mu.Unlock()
			return i.progress(), nil
		},
	}
}

func (i *importServer) progress() memory.ImportProgress {
	var p memory.ImportProgress
	for n := range i.batches {
		p.Stored += i.batches[n]
	}
	for i.batches[p.Batches] > 0 {
		p.Batches++
	}
	return p
}

func (i *importServer) batch(ctx context.Context, _ string, b memory.ImportBatch) (memory.ImportProgress, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return memory.ImportProgress{}, err
	}
	i.mu.Lock()
	i.flying++
	i.most = max(i.most, i.flying)
	i.mu.Unlock()
	if i.before != nil {
		err = i.before(ctx, b.Number)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flying--
	if err != nil {
		return memory.ImportProgress{}, err
	}
	i.batches[b.Number], i.sizes[b.Number] = len(b.Items), len(data)
	return i.progress(), nil
}

func newImportServer() *importServer {
	return &importServer{ids: map[string]bool{}, batches: map[int]int{}, sizes: map[int]int{}}
}

func writeLines(t *testing.T, dir string, n int, text string) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"text": "%d %s"}`+"\n", i, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "in.jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestImportCutsBatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		n       int
		text    string
		batches int
	}{
		{"by number", 1001, "short", 3},
		{"by size", 100, strings.Repeat("x", 30_000), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			i := newImportServer()
			s := newSession(t, i.client())
			writeLines(t, s.dir, c.n, c.text)
			code, out, errs := s.run(t.Context(), "import", "in.jsonl")
			if code != 0 || out != fmt.Sprintf("imported %d memories\n", c.n) {
				t.Fatalf("exit %d, %q, %q", code, out, errs)
			}
			if len(i.batches) != c.batches || i.most > 3 {
				t.Errorf("%d batches, %d at once", len(i.batches), i.most)
			}
			for n, size := range i.sizes {
				if size > maxBatchBytes+100 || i.batches[n] > memory.MaxImportBatch {
					t.Errorf("batch %d: %d bytes, %d items", n, size, i.batches[n])
				}
			}
			if !strings.Contains(errs, "(100%)") {
				t.Errorf("no progress: %q", errs)
			}
		})
	}
}

func TestImportResumes(t *testing.T) {
	t.Parallel()
	i := newImportServer()
	ctx, interrupt := context.WithCancel(t.Context())
	i.before = func(ctx context.Context, number int) error {
		if number < 2 {
			return nil
		}
		interrupt()
		<-ctx.Done()
		return ctx.Err()
	}
	s := newSession(t, i.client())
	writeLines(t, s.dir, 2600, "fact")
	code, _, errs := s.run(ctx, "import", "in.jsonl", "--in-flight", "1")
	if code != ExitInterrupted || !strings.Contains(errs, "the same command goes on from there") {
		t.Fatalf("exit %d, %q", code, errs)
	}
	if len(i.batches) != 2 {
		t.Fatalf("%d batches before the interrupt", len(i.batches))
	}
	var sent []int
	i.before = func(_ context.Context, number int) error {
		sent = append(sent, number)
		return nil
	}
	code, out, errs := s.run(t.Context(), "import", "in.jsonl", "--in-flight", "1", "--json")
	if code != 0 || !slices.Equal(sent, []int{2, 3, 4, 5}) || !strings.Contains(out, `"resumed": 2`) || !strings.Contains(out, `"stored": 2600`) {
		t.Errorf("exit %d, sent %v, %s %s", code, sent, out, errs)
	}
	if len(i.ids) != 1 {
		t.Errorf("the same file had %d ids", len(i.ids))
	}
	writeLines(t, s.dir, 3, "another")
	s.run(t.Context(), "import", "in.jsonl")
	if len(i.ids) != 2 {
		t.Errorf("another content had the same id")
	}
}

func TestImportStopsAtFirstError(t *testing.T) {
	t.Parallel()
	i := newImportServer()
	i.before = func(_ context.Context, number int) error {
		if number == 1 {
			return memory.Down("Temporal", "start it", os.ErrDeadlineExceeded)
		}
		return nil
	}
	s := newSession(t, i.client())
	writeLines(t, s.dir, 5000, "fact")
	code, _, errs := s.run(t.Context(), "import", "in.jsonl", "--in-flight", "1")
	if code != ExitDown || !strings.Contains(errs, "hint: start it") {
		t.Errorf("exit %d, %q", code, errs)
	}
	if len(i.batches) > 3 {
		t.Errorf("%d batches were sent after the error", len(i.batches)-1)
	}
}

func TestImportHardLines(t *testing.T) {
	t.Parallel()
	i := newImportServer()
	s := newSession(t, i.client())
	huge := `{"text": "` + strings.Repeat("x", 2<<20) + `"}`
	long := `{"text": "fits", "note": "` + strings.Repeat("y", 900_000) + `"}`
	s.stdin = "\xef\xbb\xbf" + strings.Join([]string{
		`{"text": "with a mark"}`, huge, long, "{\"text\": \"caf\xe9\"}", `{"text": "nul \u0000"}`, `null`, `[1]`, `"text"`,
		`{"Text": "wrong case"}`, `{"text": "crlf"}` + "\r", `{"text": "no end of line", "tags": null}`,
	}, "\n")
	code, out, errs := s.run(t.Context(), "import", "-", "--skip-bad", "--json")
	if code != 0 || !strings.Contains(out, `"lines": 4`) || !strings.Contains(out, `"bad": 7`) {
		t.Fatalf("exit %d, %s, %s", code, out, errs)
	}
	for _, want := range []string{
		"stdin:2: is longer than 1048576 bytes", "stdin:4: is not valid UTF-8", "stdin:5: the text holds NUL bytes",
		"stdin:6: is not a JSON object", "stdin:7: must be a JSON object, not array", `stdin:9: has no "text"`,
		"unknown fields are ignored: note",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing in %s", want, errs)
		}
	}
}

func TestImportShowsTwentyBadLines(t *testing.T) {
	t.Parallel()
	s := newSession(t, fake{})
	s.stdin = strings.Repeat("{\n", 50)
	code, _, errs := s.run(t.Context(), "import", "-")
	if code != ExitUsage || strings.Count(errs, "is not JSON") != 20 || !strings.Contains(errs, "… and 30 more bad lines") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

func TestExportIsImportable(t *testing.T) {
	t.Parallel()
	line, err := json.Marshal(exportLine(memory.Details{Memory: aMemory(idA)}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := parseLine(line, memory.StoreInput{}, nil)
	if err != nil || len(p.unknown) > 0 {
		t.Fatalf("%v, unknown %v", err, p.unknown)
	}
	in := p.in
	m := aMemory(idA)
	if in.Text != m.Text || in.Project != m.Project || in.Type != m.Type || !slices.Equal(in.Tags, m.Tags) ||
		in.Session != m.Session || in.Position != m.Position || !in.CreatedAt.Equal(m.CreatedAt) || in.Collection != m.Collection {
		t.Errorf("got %+v", in)
	}
}

func TestExportFile(t *testing.T) {
	t.Parallel()
	s := newSession(t, fixed())
	path := filepath.Join(s.dir, "out.jsonl")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.run(t.Context(), "export", "-o", "out.jsonl"); code != 0 || out != "" {
		t.Fatalf("exit %d, %q, %q", code, out, errs)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%s, %v", text, err)
	}
	// A failed export leaves the old file.
	broken := fixed()
	broken.list = func(memory.Page) ([]memory.Memory, error) { return nil, memory.Down("PostgreSQL", "", os.ErrClosed) }
	s2 := newSession(t, broken)
	s2.dir = s.dir
	if code, _, _ := s2.run(t.Context(), "export", "-o", "out.jsonl"); code != ExitDown {
		t.Errorf("exit %d", code)
	}
	again, err := os.ReadFile(path)
	if err != nil || string(again) != string(text) {
		t.Errorf("the old export is gone: %v", err)
	}
	if files, err := os.ReadDir(s.dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}
