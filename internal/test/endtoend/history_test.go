package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// sessions writes transcripts of Claude Code below a folder: long transcripts in one project and a
// short transcript in another project.
func sessions(t *testing.T, root string, long int) {
	t.Helper()
	line := func(session string, n int, role, cwd, text string) string {
		at := time.Date(2026, 2, 3, 8, 0, n, 0, time.UTC).Format(time.RFC3339)
		return fmt.Sprintf(`{"type":%q,"uuid":"%s-%d","sessionId":%q,"timestamp":%q,"cwd":%q,"message":{"id":"m%d","content":[{"type":"text","text":%q}]}}`+"\n",
			role, session, n, session, at, cwd, n, text)
	}
	put := func(name, data string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	var shop strings.Builder
	for n := range long {
		role := [2]string{"user", "assistant"}[n%2]
		shop.WriteString(line("shop-long", n, role, "/src/history-shop", fmt.Sprintf("Step %d: the loader of batch %d reads the warehouse.", n, n*7919%long)))
	}
	put("-src-history-shop/shop-long.jsonl", shop.String())
	put("-src-history-shop/shop-short.jsonl", line("shop-short", 0, "user", "/src/history-shop", "Why did we choose Redis for the sessions of the shop?")+
		line("shop-short", 1, "assistant", "/src/history-shop", "Two nodes share them, and the token is ghp_"+strings.Repeat("x9Y8z7W6", 5)+".")+
		line("shop-short", 2, "user", "/src/history-shop", "Always run the linter before you commit, never after.")+"not JSON\n")
	put("-src-history-bank/bank.jsonl", line("bank", 0, "user", "/src/history-bank", "Which port does the vault of the bank listen on?")+
		line("bank", 1, "assistant", "/src/history-bank", "The vault listens on port 9100."))
}

// TestHistory imports Claude Code's history, is killed in the middle, and goes on. What is archived
// is found in its own project only, and in no recall.
func TestHistory(t *testing.T) {
	root := t.TempDir()
	const long = 6000
	sessions(t, filepath.Join(root, "projects"), long)
	w := *shared
	w.env = append(append([]string{}, shared.env...), "CLAUDE_CONFIG_DIR="+root)

	cmd := w.command(t.Context(), "mneme", "import", "--claude", "--no-memories")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stats := func() (n int) {
		var got struct{ Messages int }
		if err := json.Unmarshal([]byte(w.ok(t, "conversations", "index", "--json")), &got); err != nil {
			t.Fatal(err)
		}
		return got.Messages
	}
	wait.Until(t, "the import has begun", func() bool { return stats() > 0 })
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed

	out := w.ok(t, "import", "--claude")
	if n := stats(); n != long+5 {
		t.Errorf("%d messages are archived, not %d:\n%s", n, long+5, out)
	}
	if !strings.Contains(out, "new memor") {
		t.Errorf("no memories:\n%s", out)
	}
	if again := w.cli(t, "", "import", "--claude"); again.code != 0 || !strings.Contains(again.stderr, "there is nothing new") {
		t.Errorf("a second import: %+v", again)
	}

	found := w.ok(t, "conversations", "search", "--project", "/src/history-shop", "why Redis for the sessions of the shop")
	if !strings.Contains(found, "Why did we choose Redis") || strings.Contains(found, "ghp_") || strings.Contains(found, "vault") {
		t.Errorf("found\n%s", found)
	}
	if none := w.cli(t, "", "conversations", "search", "--project", "/src/history-shop", "--json", "the vault of the bank listens on port 9100"); strings.Contains(none.stdout, "9100") {
		t.Errorf("another project's conversation is found:\n%s", none.stdout)
	}
	if recalled := w.cli(t, "", "recall", "--project", "/src/history-bank", "which port does the vault listen on"); recalled.code != 3 {
		t.Errorf("a recall found a conversation:\n%s", recalled.stdout)
	}
	whole := w.ok(t, "conversations", "show", "--all-projects", "--session", "shop-long")
	if n := strings.Count(whole, "the loader of batch"); n != long {
		t.Errorf("a whole conversation has %d of %d messages", n, long)
	}
	if forgot := w.ok(t, "conversations", "forget", "--session", "shop-long", "--yes"); !strings.Contains(forgot, fmt.Sprintf("forgot %d messages", long)) ||
		!strings.Contains(forgot, "gone from database and index") {
		t.Errorf("forgot: %s", forgot)
	}
	if n := stats(); n != 5 {
		t.Errorf("%d messages are left", n)
	}
}
