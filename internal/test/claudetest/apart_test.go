package claudetest

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// projects: two sessions at the same time, in two projects with memories about the
// same thing, and each sees its own only.
func projects(t *testing.T, w *world) {
	names, marks := []string{"north", "south"}, []string{"NORTHMARK-1", "SOUTHMARK-2"}
	dirs, results := make([]string, 2), make([]Result, 2)
	for i, name := range names {
		dirs[i] = w.project(t, name, "the invoice printer of the warehouse")
		w.remember(t, dirs[i], "The invoice printer of the warehouse has the address "+marks[i])
	}
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i := range names {
		both.Go(func() { // what they see comes through the tool, too, so a hook may give up
			results[i], errs[i] = w.Run(t.Context(), Session{Dir: dirs[i], Prompts: []string{"where is the printer?"}, Script: Script{Turns: []Turn{
				Call(pluginTools+"memory_recall", map[string]any{"query": "address of the invoice printer"}), Say("There."),
			}}})
		})
	}
	both.Wait()
	for i := range names {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		other := marks[1-i]
		if len(results[i].Find(marks[i])) == 0 {
			t.Errorf("%s does not see its own memory\n%s", names[i], results[i].Dump())
		}
		for _, q := range results[i].Requests {
			if bytes.Contains(q.Raw, []byte(other)) {
				t.Errorf("%s sees %s", names[i], other)
			}
		}
	}
}

// noAutostart keeps sessions from starting the daemon.
const noAutostart = "MNEME_AUTOSTART=false"

// stopped: without the daemon the prompt is not delayed, and what the session
// learned is stored, once, when the daemon is back.
func stopped(t *testing.T, w *world) {
	dir := w.project(t, "stops", "first")
	w.down(t)
	w.play(t, Session{Dir: dir, Prompts: []string{"hello"}, Env: []string{noAutostart}})
	w.play(t, Session{
		Dir: dir, Prompts: []string{"why does the crane test fail?", "thanks"}, Env: []string{noAutostart},
		Script: Script{Turns: []Turn{
			Say("It turns out that the crane test fails because the fixture clock is an hour behind. The fix was to set TZ=UTC in the crane test script."),
		}, Default: Say("All right.")},
	})
	w.quickWithoutDaemon(t)
	w.up(t)
	eventually(t, "what was learned without the daemon is stored", func() bool {
		return len(w.recall(t, dir, "why does the crane test fail?")) > 0
	})
	var twice int
	for _, m := range decodeExport(t, w.mneme(t, dir, "export")) {
		if strings.Contains(m.Text, "crane test fails because") {
			twice++
		}
	}
	if twice != 1 {
		t.Errorf("it is stored %d times", twice)
	}
}

// quickWithoutDaemon checks that the hooks which a prompt waits for found nobody
// and did not wait for anybody. The check looks at the hooks' own log: the time
// until the model's first request says more about how busy the machine is.
func (w *world) quickWithoutDaemon(t *testing.T) {
	t.Helper()
	const most = 500 // milliseconds; one that waits takes until its deadline, 1,850
	fastest, seen := math.Inf(1), 0
	for _, e := range w.hookEntries(t) {
		if e.Event != "SessionStart" || !strings.HasSuffix(e.Project, "/stops") {
			continue
		}
		seen++
		fastest = min(fastest, e.Took)
		if e.Outcome != "down" {
			t.Errorf("without a daemon a session's start was %s", e.Outcome)
		}
	}
	if seen != 2 || fastest > most {
		t.Errorf("%d sessions started, the fastest hook took %v ms\n%s", seen, fastest, w.hookLog())
	}
}

// autostart: a session that finds no daemon starts one in the background, and
// exactly one, however many begin at once.
func autostart(t *testing.T, w *world) {
	dir := w.project(t, "starts", "first")
	w.mneme(t, w.Home, "install", "--yes")
	w.down(t)
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		all.Go(func() { _, errs[i] = w.Run(t.Context(), Session{Dir: dir, Prompts: []string{"hello"}}) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the daemon runs", func() bool {
		return strings.Contains(w.mneme(t, dir, "status", "--json"), `"running": true`)
	})
	w.remember(t, dir, "The daemon that a session started takes memories")
}

// plainSettings: the plugin goes without a trace, and the same works by settings.
func plainSettings(t *testing.T, w *world) {
	w.mneme(t, w.Home, "uninstall", "--yes")
	w.unchanged(t)
	dir := w.project(t, "plain", "the lamp of the lighthouse")
	w.mneme(t, w.Home, "install", "--settings", "--yes")
	w.remember(t, dir, "The lamp of the lighthouse is LAMPMARK-3 and burns at night")
	res := w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"hello"}, Script: Script{Turns: []Turn{
			Call(settingsTools+"memory_store", map[string]any{"text": "The keeper of the lighthouse is called Ida"}), Say("Done."),
		}}}
	})
	if found := res.Find("LAMPMARK-3"); len(found) == 0 || found[0].Request != 1 {
		t.Errorf("the session did not start with what is known: %v\n%s", found, w.hookLog())
	}
	if denied := toolErrors(res); len(denied) > 0 {
		t.Errorf("the store failed: %v", denied)
	}
	if got := w.recall(t, dir, "name of the lighthouse keeper"); len(got) == 0 {
		t.Errorf("recalled %v", got)
	}
	res = w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"remember the lamp"}, Script: Script{Turns: []Turn{
			Call(settingsTools+"memory_store", map[string]any{"text": "The lamp of the lighthouse is LAMPMARK-3 and burns at night."}), Say("Done."),
		}}}
	})
	if denied := toolErrors(res); len(denied) != 1 || !strings.Contains(denied[0].Text.Text, "duplicate detected") {
		t.Errorf("stored twice, the model was told %v\n%s", denied, w.hookLog())
	}
	w.crash(t, dir)
	w.mneme(t, w.Home, "uninstall", "--yes")
	w.unchanged(t)
}

// unchanged checks that the user's settings are the same to the byte.
func (w *world) unchanged(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(w.settingsPath())
	if err != nil || string(data) != settings {
		t.Errorf("after uninstall the settings are not what they were: %v\n%s", err, data)
	}
	if _, err := os.Stat(filepath.Join(w.Home, ".mneme", "claude")); err == nil {
		t.Error("after uninstall the plugin is still in the data folder")
	}
}
