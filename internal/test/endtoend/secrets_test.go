package endtoend

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/internal/redact/redacttest"
)

// marker is harmless. It must be found where secrets are looked for: else the
// search proves nothing.
const marker = "the harmless marker of the search is quokka-7391"

// sent is every secret that went through some door, for the last search.
var sent struct {
	sync.Mutex
	needles []needle
}

// secretsFor makes secrets of two hundred kinds and more for one door, other ones
// than for every other door, and notes them.
func secretsFor(t *testing.T, door string, seed uint64) []redacttest.Secret {
	t.Helper()
	var out []redacttest.Secret
	var needles []needle
	for _, s := range redacttest.Secrets(seed) {
		// A shorter one is in some file by chance, and these two kinds have
		// few values: another test, or PostgreSQL itself, may have the same.
		if len(s.Value) < 10 || s.Kind == "diagnosis" || s.Kind == "prescription" {
			continue
		}
		out = append(out, s)
		needles = append(needles, needlesOf(door+": "+s.Kind, s.Value)...)
	}
	if len(out) < 200 {
		t.Fatalf("only %d kinds of secrets, want 200", len(out))
	}
	sent.Lock()
	defer sent.Unlock()
	sent.needles = append(sent.needles, needles...)
	return out
}

// needlesOf returns the forms in which a value could lie on a disk: as it is,
// in lower case as tags are, and as JSON writes it.
func needlesOf(what, value string) []needle {
	value = strings.TrimSpace(value)
	forms := []string{value}
	if lower := strings.ToLower(value); lower != value {
		forms = append(forms, lower)
	}
	if quoted, err := json.Marshal(value); err == nil && string(quoted) != `"`+value+`"` {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	var out []needle
	for _, f := range forms {
		if len(f) >= window {
			out = append(out, needle{what, f})
		}
	}
	return out
}

// shortEnough returns the sentence if a field of most bytes without line
// breaks can hold it, else something harmless.
func shortEnough(sentence string, most int) string {
	if len(sentence) > most || strings.ContainsAny(sentence, "\n\r\t") {
		return "plain"
	}
	return sentence
}

// TestNoSecretIsKept sends secrets of two hundred kinds through every door, in every
// field that is a user's own words, and then looks for each in every file
// below the data folder, in the temporary files, and in all that was printed.
func TestNoSecretIsKept(t *testing.T) {
	t.Parallel()
	t.Run("doors", func(t *testing.T) {
		t.Run("command line", func(t *testing.T) { t.Parallel(); secretsByCommandLine(t) })
		t.Run("import", func(t *testing.T) { t.Parallel(); secretsByImport(t) })
		t.Run("notes", func(t *testing.T) { t.Parallel(); secretsByNotes(t) })
		t.Run("history", func(t *testing.T) { t.Parallel(); secretsByHistory(t) })
		t.Run("hooks", func(t *testing.T) { t.Parallel(); secretsByHooks(t) })
		t.Run("stdio", func(t *testing.T) { t.Parallel(); secretsByTools(t, shared.stdio(t), 300) })
		t.Run("HTTP", func(t *testing.T) {
			t.Parallel()
			header := secretsFor(t, "header", 500)[0].Sentence
			secretsByTurns(t, shared.http(t, map[string]string{"Mneme-Project": header}), 400)
		})
	})
	shared.ok(t, "store", "--project", "secrets", marker)
	if err := stillSecret(); err != nil {
		t.Error(err)
	}
	found, err := search([]needle{{"marker", marker}}, shared.dir)
	if err != nil || len(found) < 2 {
		t.Errorf("the marker is in %d places, %v: the search sees too little", len(found), err)
	}
}

// stillSecret looks for all secrets that were sent so far.
func stillSecret() error {
	sent.Lock()
	defer sent.Unlock()
	found, err := search(sent.needles, shared.dir)
	found = append(found, searchIn("what was printed", shared.said.bytes(), index(sent.needles))...)
	if len(found) > 20 {
		found = append(found[:20], fmt.Errorf("… and %d more", len(found)-20))
	}
	return errors.Join(append(found, err)...)
}

func secretsByCommandLine(t *testing.T) {
	// Each process takes its time, so that each tells four kinds: the tools tell every kind alone.
	groups := slices.Collect(slices.Chunk(secretsFor(t, "argument", 100), 4))
	for i, group := range groups {
		var sentences []string
		for _, s := range group {
			sentences = append(sentences, s.Sentence)
		}
		project, session := shortEnough(sentences[0], 200), shortEnough(sentences[len(sentences)/2], 200)
		tag := strings.ReplaceAll(shortEnough(sentences[len(sentences)-1], 64), ",", " ")
		text := strings.Join(sentences, "\n\n")
		shared.ok(t, "store", "--project", project, "--session", session, "--tags", tag, "--", text)
		if i%4 == 0 {
			shared.cli(t, "", "recall", "--project", project, "--tags", tag, "--", text)
		}
	}
	for i, s := range secretsFor(t, "stdin", 110) {
		if i%8 != 0 {
			continue
		}
		if a := shared.cli(t, s.Sentence, "store", "-"); a.code != 0 {
			t.Fatalf("store a %s: exit %d, %s", s.Kind, a.code, a.stderr)
		}
	}
	for i, s := range secretsFor(t, "filter", 120) {
		if i%6 == 0 {
			word := shortEnough(s.Sentence, 64)
			shared.cli(t, "", "forget", "--dry-run", "--project", word, "--tags", word)
			shared.cli(t, "", "export", "--project", word)
			shared.cli(t, "", "organize", "--dry-run", "--project", word, "--collection", "working_memory")
		}
	}
}

func secretsByImport(t *testing.T) {
	var lines strings.Builder
	for _, s := range secretsFor(t, "import", 200) {
		name := shortEnough(s.Sentence, 200)
		line, err := json.Marshal(map[string]any{
			"text": s.Sentence, "project": name, "session": name, "tags": []string{shortEnough(s.Sentence, 64)},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	if a := shared.cli(t, lines.String(), "import", "-"); a.code != 0 {
		t.Fatalf("import: exit %d, %s", a.code, a.stderr)
	}
	// The same lines from a file, which lies where this test does not look.
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	shared.ok(t, "import", file)
}

// wording is a tool and how it is given a secret's sentence, which is also a
// name and a tag where it is short enough for one.
type wording struct {
	tool string
	args func(sentence, name, tag string) map[string]any
}

// storing are the tools that keep words, in the ways they put them together.
func storing() []wording {
	return []wording{
		{"memory_store", func(s, n, tag string) map[string]any {
			return map[string]any{"text": s, "project": n, "session": n, "tags": []string{tag}}
		}},
		{"learning", func(s, n, tag string) map[string]any {
			return map[string]any{"insight": "It was learned the hard way", "context": s, "project": n, "tags": []string{tag}}
		}},
		{"episode", func(s, n, _ string) map[string]any {
			return map[string]any{"event": s, "outcome": "All is well again. " + s, "project": n}
		}},
		{"procedure", func(s, n, _ string) map[string]any {
			return map[string]any{"name": n, "steps": []string{"open a shell", s}, "project": n}
		}},
		{"trajectory", func(s, _, _ string) map[string]any {
			return map[string]any{"task": s, "steps": []string{s, "it worked"}}
		}},
	}
}

// asking are the tools that keep nothing, but whose questions Temporal keeps.
func asking() []wording {
	return []wording{
		{"memory_recall", func(s, n, tag string) map[string]any {
			return map[string]any{"query": s, "project": n, "tags": []string{tag}}
		}},
		{"rag_search", func(s, n, _ string) map[string]any { return map[string]any{"query": s, "project": n} }},
		{"memory_forget", func(_, n, tag string) map[string]any {
			return map[string]any{"tags": []string{tag}, "project": n, "dry_run": true}
		}},
		{"memory_summarize", func(_, n, _ string) map[string]any { return map[string]any{"project": n} }},
	}
}

func (w wording) send(t *testing.T, d door, s redacttest.Secret) {
	t.Helper()
	d.call(t, w.tool, w.args(s.Sentence, shortEnough(s.Sentence, 200), shortEnough(s.Sentence, 64)))
}

// secretsByTools stores every kind, and sends it by turns through the other tools that keep
// words, an update, and the tools that ask: all pass one redactor.
func secretsByTools(t *testing.T, d door, seed uint64) {
	all := storing()
	for i, s := range secretsFor(t, "stdio", seed) {
		all[0].send(t, d, s)
		if i%3 == 0 { // over HTTP every kind passes one of them
			all[1+i/3%(len(all)-1)].send(t, d, s)
		}
	}
	plain := d.call(t, "memory_store", map[string]any{"text": "The otter sleeps on its back.", "project": "edits"})
	for i, s := range secretsFor(t, "stdio memory_update", seed+40) {
		if i%4 != 0 {
			continue
		}
		d.call(t, "memory_update", map[string]any{"id": plain["id"], "text": s.Sentence, "tags": []string{shortEnough(s.Sentence, 64)}})
	}
	for i, s := range secretsFor(t, "stdio asking", seed+50) {
		asking()[i%len(asking())].send(t, d, s)
	}
}

// secretsByTurns sends every kind once: what follows is the same as over stdio.
func secretsByTurns(t *testing.T, d door, seed uint64) {
	all := append(storing(), asking()...)
	for i, s := range secretsFor(t, "HTTP", seed) {
		all[i%len(all)].send(t, d, s)
	}
}
