package claudetest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is a machine with Claude Code and mneme on it, installed as a user does.
type world struct {
	*Sandbox
	bin string // folder of mneme's programs
}

// storeTool and its like are the names under which the plugin's tools appear.
const (
	pluginTools   = "mcp__plugin_mneme_mneme__"
	settingsTools = "mcp__mneme__"
)

// settings is what the user had before mneme came, in an unusual form.
const settings = "{\n   \"permissions\": { \"allow\": [ \"Bash(ls:*)\" ] },\n   \"env\": {\"FOREIGN\": \"1\"},\n" +
	"   \"hooks\": {\n      \"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]} ]\n   }\n}"

func newWorld(t *testing.T, client string) *world {
	t.Helper()
	// Not t.TempDir: PostgreSQL's socket needs a short path.
	dir, err := os.MkdirTemp("", "mcc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := NewSandbox(dir, client)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Sandbox: s, bin: filepath.Join(root(), "bin")}
	if v := os.Getenv("MNEME_TEST_BIN"); v != "" {
		w.bin = v
	}
	if err := os.MkdirAll(filepath.Join(s.Home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.settingsPath(), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	w.up(t)
	t.Cleanup(func() { w.down(t) })
	return w
}

func (w *world) settingsPath() string { return filepath.Join(w.Home, ".claude", "settings.json") }

func (w *world) up(t *testing.T)   { t.Helper(); w.mneme(t, w.Home, "up", "--detach", "--timeout", "2m") }
func (w *world) down(t *testing.T) { t.Helper(); w.mneme(t, w.Home, "down") }

// mneme runs the command line in a folder and returns what it printed. The exit
// codes 3, nothing found, and those of a status that says no are answers like others.
func (w *world) mneme(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := w.Command(t.Context(), dir, filepath.Join(w.bin, "mneme"), args...)
	if args[0] == "down" { // also at the end of a test, when its context is over
		cmd = w.Command(context.WithoutCancel(t.Context()), dir, filepath.Join(w.bin, "mneme"), args...)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	code := cmd.ProcessState.ExitCode()
	if err != nil && code != 3 && (args[0] != "status" || code != 4 && code != 5) {
		t.Fatalf("mneme %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// stored is a memory as "mneme recall" and "mneme get" show it.
type stored struct {
	ID         string  `json:"id"`
	Text       string  `json:"text"`
	Project    string  `json:"project"`
	Confidence float64 `json:"confidence"`
	Source     string  `json:"source"`
	Strong     bool    `json:"strong"` // of a recall
}

// strong are the answers that are not only the best of what there is.
func strong(answers []stored) []stored {
	return slices.DeleteFunc(answers, func(s stored) bool { return !s.Strong })
}

// recall asks as the user does.
func (w *world) recall(t *testing.T, dir, query string) []stored {
	t.Helper()
	return decodeList[stored](t, w.mneme(t, dir, "recall", query, "--json"))
}

func (w *world) get(t *testing.T, id string) stored {
	t.Helper()
	list := decodeList[stored](t, w.mneme(t, w.Home, "get", id, "--json"))
	if len(list) != 1 {
		t.Fatalf("mneme get %s: %d memories", id, len(list))
	}
	return list[0]
}

// remember stores a memory as the user does, and returns its id.
func (w *world) remember(t *testing.T, dir, text string, args ...string) string {
	t.Helper()
	out := w.mneme(t, dir, append([]string{"store", text, "--json"}, args...)...)
	var res struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(out), &res); err != nil || res.ID == "" {
		t.Fatalf("mneme store: %v: %s", err, out)
	}
	return res.ID
}

func decodeList[T any](t *testing.T, out string) []T {
	t.Helper()
	var list []T
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("read the answer: %v: %s", err, out)
	}
	return list
}

// project makes a project with one commit.
func (w *world) project(t *testing.T, name, commit string) string {
	t.Helper()
	dir, err := w.Project(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README"), []byte(name+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "."}, {"commit", "-q", "-m", commit}} {
		if out, err := w.Command(t.Context(), dir, "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	return dir
}

// play runs a session that has to end well.
func (w *world) play(t *testing.T, s Session) Result {
	t.Helper()
	res, err := w.Run(t.Context(), s)
	if err != nil {
		t.Fatalf("%v\n%s\nhooks:\n%s", err, res.Dump(), w.hookLog())
	}
	return res
}

// answered runs sessions until one has got an answer from mneme at every hook. On a
// busy machine a hook gives up on it, as it should, and those after it do not ask
// for a while: such a session is no test of the hooks.
func (w *world) answered(t *testing.T, s func() Session) Result {
	t.Helper()
	const tries = 3
	for try := 1; ; try++ {
		res := w.play(t, s())
		if try == tries || !w.gaveUp(t, res) {
			return res
		}
		t.Logf("a hook got no answer, the machine is busy:\n%s", w.hookLog())
		eventually(t, "the hooks ask again", func() bool {
			info, err := os.Stat(filepath.Join(w.Home, ".mneme", "sessions", ".waited"))
			return err != nil || time.Since(info.ModTime()) > 15*time.Second
		})
	}
}

// gaveUp reports whether a hook of a session did not get an answer in time.
func (w *world) gaveUp(t *testing.T, res Result) bool {
	t.Helper()
	for _, e := range w.hookEntries(t) {
		for _, seen := range res.Events {
			if seen.SessionID != "" && e.Session == seen.SessionID && (e.Outcome == "down" || e.Outcome == "late") {
				return true
			}
		}
	}
	return false
}

// hookEntry is a line of the hooks' log.
type hookEntry struct {
	Event, Session, Project, Outcome string
	Took                             float64 `json:"took_ms"`
	Extracted                        int
}

func (w *world) hookEntries(t *testing.T) []hookEntry {
	t.Helper()
	var out []hookEntry
	for line := range strings.Lines(w.hookLog()) {
		var e hookEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("read the hooks' log: %v: %s", err, line)
		}
		out = append(out, e)
	}
	return out
}

// hookLog is what the hooks wrote about themselves, for a test that fails.
func (w *world) hookLog() string {
	data, err := os.ReadFile(filepath.Join(w.Home, ".mneme", "logs", "hooks.jsonl"))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(30 * time.Second)
	defer end.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end.C:
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// decodeExport reads JSON lines.
func decodeExport(t *testing.T, out string) []stored {
	t.Helper()
	var list []stored
	for line := range strings.Lines(out) {
		var m stored
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("read an export: %v: %s", err, line)
		}
		list = append(list, m)
	}
	return list
}
