package claudetest

import (
	"context"
	"maps"
	"os"
	"strings"
	"testing"
	"time"
)

// bash is a turn that runs a command.
func bash(command string) Turn {
	return Call("Bash", map[string]any{"command": command, "description": "run"})
}

// withBash lets commands run without a question.
func withBash() []string { return []string{"--allowedTools", "Bash"} }

// script writes a program into a project.
func (w *world) script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// unsolved: a fix that is shown and does not help is trusted less, and is not shown
// for the same again.
func unsolved(t *testing.T, w *world) {
	dir := w.project(t, "unsolved", "first")
	const fix = "Error: turbine 4 refuses the blade angle 31, limit is 30. Fix: restart the turbine service WRONGMARK-1"
	id := w.remember(t, dir, fix, "--tags", "error", "--type", "learning")
	before := w.get(t, id).Confidence
	w.script(t, dir+"/turbine.sh", "echo 'Error: turbine 4 refuses the blade angle 31, limit is 30' >&2\nexit 3")
	res := w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"start the turbine"}, Args: withBash(), Script: Script{Turns: []Turn{
			bash("./turbine.sh start"), bash("./turbine.sh start"), Say("It does not work."),
		}}}
	})
	if found := res.Find("WRONGMARK-1"); len(found) == 0 || found[0].Request != 2 {
		t.Fatalf("after the error the model saw %v\n%s\n%s", found, res.Dump(), w.hookLog())
	}
	if again := (Result{Requests: res.Main()[2:3]}).Find("WRONGMARK-1"); len(again) != 1 {
		t.Errorf("after the second error the fix stands %d times: %v", len(again), again)
	}
	eventually(t, "the fix is trusted less", func() bool { return w.get(t, id).Confidence < before })
}

// hidden: a command whose failure a pipe hides brings the old fix, too.
func hidden(t *testing.T, w *world) {
	dir := w.project(t, "pipes", "first")
	w.remember(t, dir, "make: *** [Makefile:9: sluice] Error 3. Fix: run ./clear.sh PIPEMARK-2 before make sluice", "--tags", "error", "--type", "learning")
	w.script(t, dir+"/make.sh", "echo 'cc -o sluice sluice.c'\necho 'make: *** [Makefile:9: sluice] Error 3' >&2\nexit 2")
	res := w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"build the sluice"}, Args: withBash(), Script: Script{Turns: []Turn{
			bash("./make.sh sluice 2>&1 | tail -5"), Say("It does not build."),
		}}}
	})
	if denied := toolErrors(res); len(denied) > 0 {
		t.Fatalf("the pipe hid nothing: %v", denied)
	}
	second := Result{Requests: res.Main()[1:2]}
	if got := shownBy(second, "PIPEMARK-2"); !strings.Contains(got, "PostToolUse:Bash") {
		t.Errorf("after the error the model saw the fix by %q\n%s\n%s", got, second.Dump(), w.hookLog())
	}
}

// resolution: what made a failing command work is stored, and the next session that
// runs into the error is shown it.
func resolution(t *testing.T, w *world) {
	dir := w.project(t, "resolutions", "first")
	w.script(t, dir+"/pump.sh", "[ -e signed ] && exit 0\necho 'Error: pump firmware rejected: signature of block 17 is missing' >&2\nexit 4")
	w.script(t, dir+"/sign.sh", "touch signed")
	pump := func(turns ...Turn) func() Session {
		return func() Session {
			if err := os.RemoveAll(dir + "/signed"); err != nil {
				t.Fatal(err)
			}
			return Session{Dir: dir, Prompts: []string{"start the pump"}, Args: withBash(), Script: Script{Turns: turns}}
		}
	}
	w.answered(t, pump(bash("./pump.sh start"), bash("./sign.sh --key depot"), bash("./pump.sh start"),
		Say("The pump runs. The firmware was rejected because its signature was missing; the fix was to run ./sign.sh --key depot.")))
	eventually(t, "the resolution is stored", func() bool {
		list := w.recall(t, dir, "pump firmware rejected: signature is missing")
		return len(list) > 0 && strings.Contains(list[0].Text, "sign.sh")
	})
	res := w.answered(t, pump(bash("./pump.sh start"), Say("I see.")))
	found := (Result{Requests: res.Main()[1:2]}).Find("Similar error seen before")
	if len(found) != 1 || !strings.Contains(found[0].Text.Text, "./sign.sh --key depot") {
		t.Errorf("after the error the model saw %v\n%s\n%s", found, res.Dump(), w.hookLog())
	}
}

// sweeps: what was learned is taken at the end of a turn and at the end of the
// session, and when the session is resumed, it is not taken again.
func sweeps(t *testing.T, w *world) {
	dir := w.project(t, "sweeps", "first")
	res := w.answered(t, func() Session {
		return Session{
			Dir: dir, Prompts: []string{"why does the winch test hang?", "thanks", "why is the anchor build slow?"},
			Script: Script{Turns: []Turn{
				Say("It turns out that the winch test hangs because the brake stub waits for a second signal. The fix was to send SIGUSR2 in the winch fixture."),
				Say("Glad to help."),
				Say("It turns out that the anchor build is slow because the chain generator runs twice. The fix was to cache gen/chain.go in the anchor Makefile."),
			}, Default: Say("All right.")},
		}
	})
	byEvent := w.extracted(t, res)
	if byEvent["Stop"] == 0 || byEvent["SessionEnd"] == 0 {
		t.Errorf("taken: %v\n%s", byEvent, w.hookLog())
	}
	w.storedOnce(t, dir, "winch test hangs because", "anchor build is slow because")
	res = w.play(t, Session{Dir: dir, Prompts: []string{"go on"}, Args: []string{"--continue"}})
	if again := w.extracted(t, res); !maps.Equal(again, byEvent) { // it is the same session
		t.Errorf("taken: %v, and after a resume: %v\n%s", byEvent, again, w.hookLog())
	}
	w.storedOnce(t, dir, "winch test hangs because", "anchor build is slow because")
}

// extracted counts by event what the hooks of a session took from its transcript.
func (w *world) extracted(t *testing.T, res Result) map[string]int {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range res.Events {
		ids[e.SessionID] = e.SessionID != ""
	}
	out := map[string]int{}
	for _, e := range w.hookEntries(t) {
		if ids[e.Session] && e.Extracted > 0 {
			out[e.Event] += e.Extracted
		}
	}
	return out
}

// storedOnce waits until memories with these texts are stored, and checks that each
// is one.
func (w *world) storedOnce(t *testing.T, dir string, texts ...string) {
	t.Helper()
	count := func(text string) (n int) {
		for _, m := range decodeExport(t, w.mneme(t, dir, "export")) {
			if strings.Contains(m.Text, text) {
				n++
			}
		}
		return n
	}
	for _, text := range texts {
		eventually(t, "stored: "+text, func() bool { return count(text) > 0 })
		if n := count(text); n != 1 {
			t.Errorf("%q is stored %d times", text, n)
		}
	}
}

// killed: a session killed within its first turn has no hook to save its findings.
// The next session of the project does.
func killed(t *testing.T, w *world) {
	dir := w.project(t, "kills", "first")
	first := bash("true")
	first.Text = "It turns out that the buoy light blinks twice because the relay bounces. The fix was to set DEBOUNCE_MS=40 in the buoy config."
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	_, err := w.Run(ctx, Session{
		Dir: dir, Prompts: []string{"why does the buoy light blink twice?"}, Args: withBash(),
		Script: Script{Turns: []Turn{first, {Hang: kill}}},
	})
	if err == nil || ctx.Err() == nil {
		t.Fatalf("the session was not killed: %v", err)
	}
	files, err := w.Transcripts()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "DEBOUNCE_MS=40") {
			found++
			old := time.Now().Add(-time.Hour) // or somebody might be working there
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found != 1 {
		t.Fatalf("%d transcripts of %d tell of the buoy", found, len(files))
	}
	w.answered(t, func() Session { return Session{Dir: dir, Prompts: []string{"hello"}} })
	w.storedOnce(t, dir, "buoy light blinks twice because")
	w.answered(t, func() Session { return Session{Dir: dir, Prompts: []string{"hello"}} })
	w.storedOnce(t, dir, "buoy light blinks twice because")
}
