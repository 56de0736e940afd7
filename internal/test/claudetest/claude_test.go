package claudetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestClaudeCode plays the promises of mneme with the real client, each version on
// a machine of its own.
func TestClaudeCode(t *testing.T) {
	if os.Getenv(enabled) == "" {
		t.Skipf(`needs the real client: run "make test-claude", which sets %s`, enabled)
	}
	for version, client := range clients() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if client == "" {
				t.Skip("the newest Claude Code could not be fetched: " + os.Getenv(newestWhy))
			}
			w := newWorld(t, client)
			scenarios := []struct {
				name string
				play func(*testing.T, *world)
			}{
				{"the plugin is valid and installs offline", plugin},
				{"a session starts with what is known", sessionStart},
				{"a session that is cleared starts with it again", cleared},
				{"a worktree is the same project", worktree},
				{"a subagent is shown notes of its own", subagent},
				{"a prompt is shown what is new, if the user wants that", prompts},
				{"commands and skills reach the model", commands},
				{"a store through MCP lands", store},
				{"a duplicate is refused", duplicate},
				{"a failing command brings back the old fix", failure},
				{"a fix that does not help is trusted less", unsolved},
				{"a failure that a pipe hides is one, too", hidden},
				{"what made a command work is there when it fails again", resolution},
				{"what was learned is taken at the end of a turn and of the session, once", sweeps},
				{"a killed session's learnings are taken by the next", killed},
				{"a compaction saves memories", compaction},
				{"a compaction that nobody asked for saves memories, too", fullWindow},
				{"two projects never see each other's memories", projects},
				{"a hook that crashes blocks nothing", crashes},
				{"the daemon is stopped", stopped},
				{"the settings work without the plugin", plainSettings},
				{"a session starts the daemon", autostart},
			}
			for _, s := range scenarios { // in this order: the last ones stop and change things
				t.Run(s.name, func(t *testing.T) { s.play(t, w) })
			}
		})
	}
}

// plugin installs mneme as a user does. All that follows uses it.
func plugin(t *testing.T, w *world) {
	for _, dir := range []string{root(), root() + "/plugin"} {
		out, err := w.Claude(t.Context(), w.Home, "plugin", "validate", dir)
		if err != nil || !strings.Contains(out, "Validation passed") || strings.Contains(out, "with warnings") {
			t.Errorf("plugin validate %s: %v: %s", dir, err, out)
		}
	}
	w.mneme(t, w.Home, "install", "--yes")
	out, err := w.Claude(t.Context(), w.Home, "plugin", "list")
	if err != nil || !strings.Contains(out, "mneme@mneme") || !strings.Contains(out, "enabled") {
		t.Errorf("plugin list: %v: %s", err, out)
	}
	before, err := os.ReadFile(w.settingsPath())
	if err != nil {
		t.Fatal(err)
	}
	if out := w.mneme(t, w.Home, "install", "--yes"); !strings.Contains(out, "nothing to do") {
		t.Errorf("a second install says: %s", out)
	}
	after, err := os.ReadFile(w.settingsPath())
	if err != nil || string(after) != string(before) {
		t.Errorf("a second install changed the settings: %v\n%s", err, after)
	}
}

// sessionStart: what is known reaches the model's first request, once, also after
// a resume.
func sessionStart(t *testing.T, w *world) {
	dir := w.project(t, "gateway", "payments gateway retries with backoff")
	const fact = "The payments gateway retries with backoff five times, then it opens a ticket QZX-417"
	w.remember(t, dir, fact)
	res := w.answered(t, func() Session { return Session{Dir: dir, Prompts: []string{"hello"}} })
	found := res.Find("QZX-417")
	if len(found) != 1 || !strings.Contains(found[0].Text.Text, "SessionStart hook additional context") {
		t.Fatalf("the memory stands %d times in the first session: %v\n%s\n%s", len(found), found, res.Dump(), w.hookLog())
	}
	res = w.play(t, Session{Dir: dir, Prompts: []string{"go on"}, Args: []string{"--continue"}})
	if got := res.Find("QZX-417"); len(got) != 1 {
		t.Errorf("after a resume the memory stands %d times: %v\n%s", len(got), got, w.hookLog())
	}
}

// store: the tool is offered without a search for it, needs no question, and what
// it was told is in the ledger, for this project.
func store(t *testing.T, w *world) {
	dir := w.project(t, "stores", "first")
	const fact = "The staging database of the stores project listens on port 6543"
	res := w.play(t, Session{Dir: dir, Prompts: []string{"remember the port"}, Script: Script{Turns: []Turn{
		Call(pluginTools+"memory_store", map[string]any{"text": fact}), Say("Done."),
	}}})
	for _, tool := range []string{"memory_store", "memory_recall"} {
		if !offers(res, pluginTools+tool) {
			t.Errorf("the first request does not offer %s: %v", tool, res.Main()[0].Body.ToolNames())
		}
	}
	if denied := toolErrors(res); len(denied) > 0 {
		t.Fatalf("the store failed: %v", denied)
	}
	got := strong(w.recall(t, dir, "port of the staging database"))
	if len(got) != 1 || got[0].Text != fact || got[0].Source != "" && got[0].Source != "tool" {
		t.Errorf("recalled %v", got)
	}
}

func offers(r Result, tool string) bool {
	for _, name := range r.Main()[0].Body.ToolNames() {
		if name == tool {
			return true
		}
	}
	return false
}

// toolErrors lists the results of tools that were errors.
func toolErrors(r Result) []Found {
	var out []Found
	for _, f := range r.Find("") {
		if strings.Contains(f.Place, ".tool_result.error") {
			out = append(out, f)
		}
	}
	return out
}

// duplicate: a known fact is not stored again, the model is told which memory has
// it, and that memory gains confidence.
func duplicate(t *testing.T, w *world) {
	dir := w.project(t, "duplicates", "first")
	const fact = "The nightly export of the duplicates project runs at half past two"
	id := w.remember(t, dir, fact)
	before := w.get(t, id).Confidence
	res := w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"remember the export"}, Script: Script{Turns: []Turn{
			Call(pluginTools+"memory_store", map[string]any{"text": fact + "."}), Say("Done."),
		}}}
	})
	denied := toolErrors(res)
	if len(denied) != 1 || !strings.Contains(denied[0].Text.Text, "duplicate detected") || !strings.Contains(denied[0].Text.Text, memory.ShortID(id)) {
		t.Fatalf("the model was told %v\n%s\n%s", denied, res.Dump(), w.hookLog())
	}
	if got := strong(w.recall(t, dir, "when does the nightly export run?")); len(got) != 1 || got[0].ID != id {
		t.Errorf("recalled %v", got)
	}
	if after := w.get(t, id).Confidence; after <= before {
		t.Errorf("confidence %v → %v", before, after)
	}
	// The other storing tools refuse known texts, too.
	const insight = "Exports of the duplicates project lock the table, so they run on the replica"
	id = w.remember(t, dir, insight, "--type", "learning")
	res = w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"remember what you learned"}, Script: Script{Turns: []Turn{
			Call(pluginTools+"learning", map[string]any{"insight": insight}), Say("Done."),
		}}}
	})
	if denied := toolErrors(res); len(denied) != 1 || !strings.Contains(denied[0].Text.Text, "duplicate detected ("+memory.ShortID(id)) {
		t.Errorf("the model was told %v\n%s\n%s", denied, res.Dump(), w.hookLog())
	}
}

// crashes: a hook that ends with status 2, as a Go program that panics does, blocks
// neither a prompt nor a tool.
func crashes(t *testing.T, w *world) { w.crash(t, w.project(t, "crashes", "first")) }

func (w *world) crash(t *testing.T, dir string) {
	t.Helper()
	program := filepath.Join(w.Home, ".mneme", "bin", "mneme-hook")
	whole, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(data []byte) {
		if err := os.Remove(program); err != nil { // a program that runs cannot be written to
			t.Fatal(err)
		}
		if err := os.WriteFile(program, data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	replace([]byte("#!/bin/sh\necho \"$1\" >>\"$HOME/crashed\"\necho 'panic: on request' >&2\nexit 2\n"))
	defer replace(whole)
	res := w.play(t, Session{Dir: dir, Prompts: []string{"hello"}, Args: withBash(), Script: Script{Turns: []Turn{bash("echo TOOLMARK-1"), Say("Done.")}}})
	if main := res.Main(); len(main) != 2 || len((Result{Requests: main[1:]}).Find("TOOLMARK-1")) == 0 || len(toolErrors(res)) != 0 {
		t.Errorf("the session did not go on\n%s\n%s", res.Dump(), res.lastEvents())
	}
	if got := res.Find("panic: on request"); len(got) != 0 {
		t.Errorf("the model was told of the crash: %v", got)
	}
	crashed, err := os.ReadFile(filepath.Join(w.Home, "crashed"))
	for _, event := range []string{"session-start", "user-prompt-submit", "post-tool-use", "stop", "session-end"} {
		if !strings.Contains(string(crashed), event+"\n") {
			t.Errorf("%s did not crash: %v %s", event, err, crashed)
		}
	}
	if err := os.Remove(filepath.Join(w.Home, "crashed")); err != nil {
		t.Fatal(err)
	}
}

// failure: an error that was solved before brings its solution, and when the
// command then works, the solution is trusted more.
func failure(t *testing.T, w *world) {
	dir := w.project(t, "failures", "first")
	const fix = "Error: ledger schema version mismatch, expected 12 got 11. Fix: run ./migrate.sh FIXMARK-9 before the ledger check"
	id := w.remember(t, dir, fix, "--tags", "error", "--type", "learning")
	before := w.get(t, id).Confidence
	w.script(t, dir+"/check.sh", "[ -e migrated ] && exit 0\necho 'Error: ledger schema version mismatch, expected 12 got 11' >&2\nexit 3")
	res := w.answered(t, func() Session {
		if err := os.RemoveAll(dir + "/migrated"); err != nil {
			t.Fatal(err)
		}
		return Session{Dir: dir, Prompts: []string{"check the ledger"}, Args: withBash(), Script: Script{Turns: []Turn{
			bash("./check.sh ledger"), bash("touch migrated"), bash("./check.sh ledger"), Say("It works."),
		}}}
	})
	found := res.Find("FIXMARK-9")
	if len(found) == 0 || found[0].Request != 2 || !strings.Contains(found[0].Text.Text, "Similar error seen before") {
		t.Fatalf("after the error the model saw %v\n%s\n%s", found, res.Dump(), w.hookLog())
	}
	eventually(t, "the fix is trusted more", func() bool { return w.get(t, id).Confidence > before })
}

// compaction: what was learned is stored before the conversation is summarised,
// and the user is told.
func compaction(t *testing.T, w *world) {
	dir := w.project(t, "compactions", "first")
	res := w.play(t, Session{
		Dir:     dir,
		Prompts: []string{"We always deploy the relay service on Tuesdays, because the auditors are there then. Please remember this.", "why does the build hang?", "/compact", "go on"},
		Script: Script{Turns: []Turn{
			Say("I will keep to that."),
			Say("It turns out that the relay build hangs because the linker waits for the module proxy. The fix was to set GOFLAGS=-mod=vendor in the relay Makefile."),
		}, Default: Say("All right.")},
	})
	const saved = "Saved "
	told := false
	for _, e := range res.Events {
		told = told || strings.Contains(string(e.Raw), saved) && strings.Contains(string(e.Raw), "new memor")
	}
	if !told {
		t.Errorf("nobody was told that memories were saved\n%s", w.hookLog())
	}
	eventually(t, "the cause is remembered", func() bool { return len(w.recall(t, dir, "why does the relay build hang?")) > 0 })
	if t.Failed() {
		t.Log(res.Dump(), w.hookLog())
	}
}

// fullWindow: the client compacts by itself when the window is full; neither the
// user nor the model sees what PreCompact prints then, so the next start tells.
func fullWindow(t *testing.T, w *world) {
	dir := w.project(t, "windows", "first")
	full := Say("I see.")
	full.InputTokens = 195_000
	res := w.play(t, Session{
		Dir: dir, Env: []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000"},
		Prompts: []string{"why does the tower test hang?", "and now?", "go on"},
		Script: Script{Turns: []Turn{
			Say("It turns out that the tower test hangs because the stub never closes its port. The fix was to call Close in the tower stub's cleanup."),
			full,
		}, Default: Say("All right.")},
	})
	compacted := 0
	for _, q := range res.Requests {
		if q.Kind == KindCompact {
			compacted++
		}
	}
	if compacted == 0 {
		t.Fatalf("nothing was compacted\n%s", res.Dump())
	}
	eventually(t, "the cause is remembered", func() bool { return len(w.recall(t, dir, "why does the tower test hang?")) > 0 })
	last := res.Main()[len(res.Main())-1]
	if restored := (Result{Requests: []Request{last}}).Find("SessionStart hook additional context"); len(restored) == 0 && !w.gaveUp(t, res) {
		t.Errorf("after the compaction the memories were not shown again\n%s\n%s", res.Dump(), w.hookLog())
	}
}
