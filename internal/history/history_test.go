package history_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/history"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/memory"
)

// server is a client that keeps all messages and memories that an import sends.
type server struct {
	mu       sync.Mutex
	messages map[string]string // text by id, parts joined by their numbers
	calls    int
	memories []memory.StoreInput
	fail     func(call int) error
}

func (s *server) Archive(_ context.Context, b conversation.Batch) (conversation.Archived, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.fail != nil {
		if err := s.fail(s.calls); err != nil {
			return conversation.Archived{}, err
		}
	}
	var done conversation.Archived
	if len(b.Messages) > conversation.MaxBatch {
		return done, errors.New("too many")
	}
	for _, m := range b.Messages {
		if err := m.Check(); err != nil {
			return done, err
		}
		key := fmt.Sprintf("%s/%s/%s/%s/%d %s", m.Project, m.Session, m.Thread, m.Role, m.Part, m.ID)
		if _, known := s.messages[key]; known {
			done.Known++
			continue
		}
		s.messages[key] = m.Text
		done.Added++
	}
	return done, nil
}

func (s *server) ImportStart(context.Context, string) (memory.ImportProgress, error) {
	return memory.ImportProgress{}, nil
}

func (s *server) ImportBatch(_ context.Context, _ string, b memory.ImportBatch) (memory.ImportProgress, error) {
	s.memories = append(s.memories, b.Items...)
	return memory.ImportProgress{}, nil
}

func (s *server) ImportFinish(context.Context, string) (memory.ImportProgress, error) {
	return memory.ImportProgress{Stored: len(s.memories)}, nil
}

// hiding takes out one word.
type hiding struct{}

func (hiding) Redact(text string) (string, []string) {
	return strings.ReplaceAll(text, "hunter2", "[secret]"), nil
}

// world is a folder of Claude Code's and a home of ours.
type world struct {
	root, home string
	now        time.Time
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{root: filepath.Join(t.TempDir(), "projects"), home: t.TempDir(), now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	w.write(t, "-src-shop/s1.jsonl", "/src/shop", "2026-03-01T10:00:00Z",
		"user|How do we deploy the shop?", "assistant|With make deploy, the password is hunter2.", "user|Always use tabs in Go files, never spaces.", "assistant|Noted.")
	w.write(t, "-src-shop/s1/subagents/agent-a1.jsonl", "/tmp/elsewhere", "2026-03-01T10:05:00Z", "user|Find the tests.", "assistant|There are three.")
	w.write(t, "-src-shop/s1/subagents/agent-acompact-1.jsonl", "/src/shop", "2026-03-01T10:05:00Z", "user|Summarise.", "assistant|Done.")
	w.write(t, "-src-bank/s2.jsonl", "/src/bank", "2026-04-01T10:00:00Z", "user|Which port?", "assistant|9100.")
	return w
}

func (w world) lines(name, dir, at string, from int, said ...string) string {
	var b strings.Builder
	start, _ := time.Parse(time.RFC3339, at)
	for i, s := range said {
		n := from + i
		role, text, _ := strings.Cut(s, "|")
		fmt.Fprintf(&b, `{"type":%q,"uuid":"%s-%d","timestamp":%q,"cwd":%q,"message":{"id":"m%d","content":[{"type":"text","text":%q}]}}`+"\n",
			role, filepath.Base(name), n, start.Add(time.Duration(n)*time.Minute).Format(time.RFC3339), dir, n, text)
	}
	return b.String()
}

func (w world) write(t *testing.T, name, dir, at string, said ...string) {
	t.Helper()
	w.put(t, name, w.lines(name, dir, at, 0, said...), w.now.Add(-time.Hour))
}

func (w world) put(t *testing.T, name, data string, modified time.Time) {
	t.Helper()
	path := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func (w world) imports() history.Import {
	return history.Import{
		Home: w.home, Root: w.root, Project: filepath.Base, Now: func() time.Time { return w.now },
		Redactor: func(string) (memory.Redactor, error) { return hiding{}, nil },
		Archive:  true, Memories: 20,
	}
}

func newServer() *server { return &server{messages: map[string]string{}} }

func run(t *testing.T, i history.Import, s *server) history.Found {
	t.Helper()
	found, err := i.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestImport(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newServer()
	dry, err := w.imports().DryRun(t.Context())
	if err != nil || dry.Messages != 8 || dry.Sessions != 2 || dry.Projects["shop"] != 6 || dry.Candidates == 0 {
		t.Errorf("a dry run found %+v, %v", dry, err)
	}
	if files, _ := os.ReadDir(w.home); len(files) != 0 || s.calls != 0 {
		t.Errorf("a dry run left %v", files)
	}
	found := run(t, w.imports(), s)
	if found.Archived.Added != 8 || len(s.messages) != 8 || found.Candidates != dry.Candidates || found.Stored != dry.Candidates {
		t.Errorf("found %+v, kept %v", found, s.messages)
	}
	for key, text := range s.messages {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "Summarise") || strings.Contains(key, "elsewhere") {
			t.Errorf("%s: %q", key, text)
		}
	}
	for _, m := range s.memories {
		if m.Project != "shop" || m.Source != memory.SourceImport || m.CreatedAt == nil || m.CreatedAt.Format(time.DateOnly) != "2026-03-01" {
			t.Errorf("a memory is %+v", m)
		}
	}
	// Nothing is new, and nothing is sent.
	calls := s.calls
	if list, total, err := w.imports().Plan(t.Context()); err != nil || len(list) != 0 || total != 0 {
		t.Errorf("left to do: %v, %d bytes, %v", list, total, err)
	}
	if run(t, w.imports(), s); s.calls != calls {
		t.Error("a second import sent something")
	}
	// Another import takes the messages that were added later, and no message that it took before.
	name := "-src-bank/s2.jsonl"
	old, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		t.Fatal(err)
	}
	w.put(t, name, string(old)+w.lines(name, "/src/bank", "2026-04-01T10:00:00Z", 2, "user|And the host?", "assistant|bank.internal"), w.now.Add(-time.Hour))
	if found := run(t, w.imports(), s); found.Messages != 2 || found.Archived.Added != 2 || found.Transcripts != 1 {
		t.Errorf("an import of what is new found %+v", found)
	}
}

// TestImportOfAGrowingSession leaves the last answer until it is whole.
func TestImportOfAGrowingSession(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newServer()
	name := "-src-bank/s2.jsonl"
	all := w.lines(name, "/src/bank", "2026-04-01T10:00:00Z", 0, "user|Which port?", "assistant|9100.", "user|And the host?", "assistant|bank.internal")
	i := w.imports()
	i.Projects = []string{"bank"}
	for n := 0; n < len(all); n += 61 {
		w.put(t, name, all[:n], w.now)
		run(t, i, s)
	}
	w.put(t, name, all, w.now)
	if run(t, i, s); len(s.messages) != 3 {
		t.Errorf("while the session lives: %v", s.messages)
	}
	w.put(t, name, all, w.now.Add(-time.Hour))
	if run(t, i, s); len(s.messages) != 4 {
		t.Errorf("when it is over: %v", s.messages)
	}
}

// TestImportGoesOn ends at every call and is run again: at the end everything is there once.
func TestImportGoesOn(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newServer()
	down := memory.Down("Temporal", "", errors.New("killed"))
	for stop := 1; ; stop++ {
		if stop > 50 {
			t.Fatal("it does not end")
		}
		s.calls = 0
		s.fail = func(call int) error {
			if call >= 2 { // one stretch a run
				return down
			}
			return nil
		}
		found, err := w.imports().Run(t.Context(), s)
		if err == nil {
			if found.Archived.Known > 0 {
				t.Errorf("sent again: %+v", found)
			}
			break
		}
		if !errors.Is(err, down) {
			t.Fatal(err)
		}
	}
	if len(s.messages) != 8 {
		t.Errorf("kept %v", s.messages)
	}
}

func TestImportOfWhatIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.imports()
	since := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	i.Since = &since
	s := newServer()
	if found := run(t, i, s); found.Messages != 2 || len(s.memories) != 0 {
		t.Errorf("since a date: %+v", found)
	}
	// A date leaves nothing out for the next import.
	if found := run(t, w.imports(), s); found.Archived.Added != 6 || found.Archived.Known != 2 {
		t.Errorf("afterwards: %+v", found)
	}
	i = w.imports()
	i.Again = true
	if found := run(t, i, s); found.Archived.Known != 8 {
		t.Errorf("again: %+v", found)
	}
	// A transcript that begins differently than before is read from its start, like a new transcript.
	w.write(t, "-src-bank/s2.jsonl", "/src/bank", "2026-04-02T10:00:00Z", "user|Is it another session now, with another beginning?", "assistant|It is.")
	if found := run(t, w.imports(), s); found.Messages != 2 {
		t.Errorf("a replaced file: %+v", found)
	}
}

// TestImportLeavesSessionsToTheHooks stores no memories of a session that hooks look after.
func TestImportLeavesSessionsToTheHooks(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newServer()
	if err := session.Open(w.home).Update(t.Context(), "s1", nil); err != nil {
		t.Fatal(err)
	}
	if found := run(t, w.imports(), s); len(s.memories) != 0 || found.Archived.Added != 8 || found.Attended != 1 {
		t.Errorf("found %+v and stored %v", found, s.memories)
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.imports()
	i.Root = filepath.Join(w.root, "none")
	if _, err := i.DryRun(t.Context()); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("a folder that is not there: %v", err)
	}
	unlock, err := history.Lock(w.home)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.imports().Run(t.Context(), newServer()); memory.CodeOf(err) != memory.Conflict {
		t.Errorf("two at once: %v", err)
	}
	unlock()
	// Progress that cannot be understood costs time and nothing else.
	if err := os.WriteFile(filepath.Join(w.home, "claude-history.json"), []byte(`{"files":[`), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := run(t, w.imports(), newServer()); found.Archived.Added != 8 {
		t.Errorf("found %+v", found)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CLAUDE_CONFIG_DIR": "/etc/claude"}
	if got := history.Folder(func(name string) string { return env[name] }, "/home/me"); got != "/etc/claude/projects" {
		t.Error(got)
	}
	if got := history.Folder(func(string) string { return "" }, "/home/me"); got != "/home/me/.claude/projects" {
		t.Error(got)
	}
}
