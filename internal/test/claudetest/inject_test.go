package claudetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The hooks that show memories.
const (
	byStart    = "SessionStart"
	bySubagent = "SubagentStart"
	byPrompt   = "UserPromptSubmit"
)

// shows is how the client introduces what a hook put in. One text may have several.
var shows = regexp.MustCompile(`(\S+) hook additional context: `)

// cleared: "/clear" begins a new session, which is shown what is known, too.
func cleared(t *testing.T, w *world) {
	dir := w.project(t, "clears", "the tide tables of the harbour")
	w.remember(t, dir, "The tide tables of the harbour come from the office TIDEMARK-6 every Monday")
	res := w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"hello", "/clear", "hello again"}}
	})
	main := res.Main()
	if len(main) != 2 {
		t.Fatalf("%d requests\n%s", len(main), res.Dump())
	}
	for i, q := range main {
		if got := shownBy(Result{Requests: []Request{q}}, "TIDEMARK-6"); got != byStart {
			t.Errorf("in request %d the memory was shown by %q\n%s", i+1, got, w.hookLog())
		}
	}
}

// worktree: a worktree of the repository is the same project, and what holds
// everywhere holds there, too.
func worktree(t *testing.T, w *world) {
	dir := w.project(t, "worktrees", "the signal box of the junction")
	other := dir + "-other"
	if out, err := w.Command(t.Context(), dir, "git", "worktree", "add", "-q", "-b", "signal-box", other).CombinedOutput(); err != nil {
		t.Fatalf("git worktree: %v: %s", err, out)
	}
	own := w.remember(t, dir, "The signal box of the junction has the levers LEVERMARK-5")
	all := w.remember(t, dir, "In every signal box of a junction tea is served at four TEAMARK-6", "--global", "--pin")
	res := w.answered(t, func() Session { return Session{Dir: other, Prompts: []string{"hello"}} })
	for id, marker := range map[string]string{own: "LEVERMARK-5", all: "TEAMARK-6"} {
		if got := shownBy(res, marker); got != byStart {
			t.Errorf("%s was shown by %q", marker, got)
		}
		if !strings.Contains(w.hookLog(), id) {
			t.Errorf("the log does not tell of %s", marker)
		}
	}
	if t.Failed() {
		t.Log(res.Dump(), w.hookLog())
	}
}

// commands: the plugin's commands and skills reach the model, and without somebody
// to confirm it nothing is forgotten.
func commands(t *testing.T, w *world) {
	dir := w.project(t, "commands", "first")
	id := w.remember(t, dir, "The ferry's spare oars are under the third bench")
	res := w.play(t, Session{
		Dir: dir, Prompts: []string{"/mneme:recall OARMARK-1", "how do I remember things?", "forget the oars"},
		Script: Script{Turns: []Turn{
			Say("Under the bench."),
			Call("Skill", map[string]any{"skill": "mneme:remembering"}), Say("Like that."),
			Call(pluginTools+"memory_forget", map[string]any{"ids": []string{id}}), Say("I may not."),
		}},
	})
	if got := res.Find("Recall from mneme: OARMARK-1"); len(got) == 0 || got[0].Request != 1 {
		t.Errorf("the command reached the model as %v", got)
	}
	if len(res.Find("# Remembering")) == 0 {
		t.Error("the skill did not reach the model")
	}
	if denied := toolErrors(res); len(denied) != 1 || w.get(t, id).ID != id {
		t.Errorf("forgetting without a yes: %v", denied)
	}
	if t.Failed() {
		t.Log(res.Dump())
	}
}

// agent is a turn that starts a subagent, under the name that the client has for it.
func (w *world) agent(t *testing.T, dir, prompt string) Turn {
	t.Helper()
	res := w.play(t, Session{Dir: dir, Prompts: []string{"hello"}})
	for _, name := range []string{"Agent", "Task"} {
		if offers(res, name) {
			return Call(name, map[string]any{"description": "look", "prompt": prompt, "subagent_type": "general-purpose"})
		}
	}
	t.Fatalf("no tool starts a subagent: %v", res.Main()[0].Body.ToolNames())
	return Turn{}
}

// subagent: a subagent has not seen what its session was shown, so it is shown its
// own notes.
func subagent(t *testing.T, w *world) {
	dir := w.project(t, "subagents", "the lock keeper of the canal")
	w.remember(t, dir, "The lock keeper of the canal has the number KEEPMARK-8")
	const task = "SUBTASK look for the number"
	start := w.agent(t, dir, task)
	res := w.answered(t, func() Session {
		return Session{Dir: dir, Prompts: []string{"who keeps the lock?"}, Script: Script{
			Rules: []Rule{{Match: regexp.MustCompile("SUBTASK"), Turn: Say("Nobody knows.")}},
			Turns: []Turn{start, Say("Done.")},
		}}
	})
	asked := Result{}
	for _, q := range res.Requests {
		if q.Kind == KindRule {
			asked.Requests = append(asked.Requests, q)
		}
	}
	if got := shownBy(asked, "KEEPMARK-8"); len(asked.Requests) != 1 || got != bySubagent {
		t.Errorf("in %d requests the subagent was shown the memory by %q\n%s\n%s", len(asked.Requests), got, res.Dump(), w.hookLog())
	}
	for _, q := range res.Main() {
		if got := shownBy(Result{Requests: []Request{q}}, "KEEPMARK-8"); q.Kind == KindMain && got != byStart {
			t.Errorf("the session was shown the memory by %q", got)
		}
	}
	if denied := toolErrors(res); len(denied) > 0 {
		t.Errorf("a tool failed: %v", denied)
	}
}

// prompts: by default nothing is recalled for a prompt; when the user wants it, the
// model sees what the session has not seen yet.
func prompts(t *testing.T, w *world) {
	dir := w.project(t, "prompts", "the bell of the old tower")
	w.remember(t, dir, "The bell of the old tower was cast by BELLMARK-1")
	w.remember(t, dir, "Crane 7 at the north quay needs grease of the kind GREASEMARK-2 each spring")
	w.remember(t, dir, "The ferry to the island carries at most FERRYMARK-3 cars")
	const asks = "what kind of grease does crane 7 at the north quay need?"
	res := w.answered(t, func() Session { return Session{Dir: dir, Prompts: []string{asks}} })
	if got := res.Find("GREASEMARK-2"); len(got) != 0 || len(res.Find(byPrompt+" hook")) != 0 {
		t.Errorf("without being asked for, the prompt was given %v", got)
	}
	w.config(t, "[hooks.prompt]\nenabled = true\n")
	res = w.answered(t, func() Session {
		return Session{
			Dir: dir,
			Prompts: []string{
				asks, "and again, " + asks,
				"who cast the bell of the old tower?", // the session began with that
				"look it up",                          // too short to recall anything for
				"how many cars can the ferry to the island take?",
				"keep it",
				"at what hour does the museum of the harbour open for the public?",
			},
			Script: Script{Turns: []Turn{
				Say("I know."), Say("I still know."), Say("They did."),
				Call(pluginTools+"memory_recall", map[string]any{"query": "how many cars does the ferry to the island carry?"}), Say("Many."),
				Say("As I said."),
				Call(pluginTools+"memory_store", map[string]any{"text": "The museum of the harbour opens for the public at half past nine MUSEMARK-4"}), Say("Stored."),
			}, Default: Say("All right.")},
		}
	})
	last := Result{Requests: res.Main()[len(res.Main())-1:]}
	for marker, want := range map[string]string{"GREASEMARK-2": byPrompt, "BELLMARK-1": byStart, "FERRYMARK-3": "", "MUSEMARK-4": ""} {
		if got := shownBy(last, marker); got != want {
			t.Errorf("%s was shown by %q, want %q", marker, got, want)
		}
	}
	if len(last.Find("FERRYMARK-3")) == 0 {
		t.Error("the tool did not find the ferry")
	}
	if first := res.Find("GREASEMARK-2"); len(first) == 0 || first[0].Request != 1 {
		t.Errorf("the first prompt was given %v", first)
	}
	if t.Failed() {
		t.Log(last.Dump(), w.hookLog())
	}
}

// shownBy names the hooks that put a marker in front of the model, each as often as
// it did.
func shownBy(r Result, marker string) string {
	var by []string
	for _, f := range r.Find(marker) {
		begins := shows.FindAllStringSubmatchIndex(f.Text.Text, -1)
		for i, at := range begins {
			end := len(f.Text.Text)
			if i+1 < len(begins) {
				end = begins[i+1][0]
			}
			for range strings.Count(f.Text.Text[at[1]:end], marker) {
				by = append(by, f.Text.Text[at[2]:at[3]])
			}
		}
	}
	return strings.Join(by, ", ")
}

// config writes mneme's settings, until the end of the test.
func (w *world) config(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(w.Home, ".mneme", "config.toml")
	before, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(before, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Error(err)
		}
	})
}
