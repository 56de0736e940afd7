package extract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/redact/redacttest"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// TestNoSecretIsLearned plays sessions in which each kind of secret is stated, decided on,
// preferred, printed by a command that fails, and told as its fix. None is in a candidate
// after its text was redacted, also none whose surroundings the rules have rewritten.
func TestNoSecretIsLearned(t *testing.T) {
	t.Parallel()
	builtin, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := redactor{builtin}
	taken, leaks := 0, 0
	const seed = 7
	for i, s := range redacttest.Secrets(seed) {
		if len(s.Value) < 6 { // a shorter one is in some word by chance
			continue
		}
		frames := framesOf(s.Sentence)
		names := slices.Sorted(maps.Keys(frames))
		frame := names[i%len(names)] // all of them would take a minute
		events := frames[frame]
		for _, c := range extract.Rules(events, extract.Options{Limit: 20, MinScore: 0.01, Redactor: r}) {
			taken++
			if text, _ := r.Redact(c.Text); holds(text, s.Value) {
				t.Errorf("%s, %s: learned %q", s.Kind, frame, text)
			}
		}
		if i%4 != 0 { // a sample shows that the redaction of events is needed
			continue
		}
		for _, c := range extract.Rules(events, extract.Options{Limit: 20, MinScore: 0.01}) {
			if text, _ := r.Redact(c.Text); holds(text, s.Value) {
				leaks++
			}
		}
	}
	if taken < 120 || leaks == 0 {
		t.Errorf("%d candidates, %d secrets without the redaction of events: the test sees too little", taken, leaks)
	}
	t.Logf("%d candidates; %d secrets would be learned if only their texts were redacted", taken, leaks)
}

// redactor says what a redactor does in the terms of package memory.
type redactor struct{ *redact.Redactor }

func (r redactor) Redact(text string) (string, []string) {
	got := r.Redactor.Redact(text)
	var kinds []string
	for _, f := range got.Findings {
		kinds = append(kinds, string(f.Kind))
	}
	return got.Text, kinds
}

// framesOf are sessions in which a sentence is said.
func framesOf(sentence string) map[string][]transcript.Event {
	full := strings.TrimRight(sentence, ". ") + "."
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	n := 0
	event := func(kind transcript.Kind, text string) transcript.Event {
		n++
		return transcript.Event{Kind: kind, State: transcript.New, UUID: fmt.Sprintf("u%d", n), Time: at.Add(time.Duration(n) * time.Second), Session: "s", Text: text}
	}
	call := func(command, result string, failed bool) transcript.Event {
		e := event(transcript.Called, "")
		input, _ := json.Marshal(map[string]string{"command": command})
		e.Tool = &transcript.ToolCall{ID: e.UUID, Name: "Bash", CallUUID: e.UUID + "c", Input: input, Result: result, Failed: failed}
		return e
	}
	said := func(text string) []transcript.Event {
		return []transcript.Event{event(transcript.Prompt, text), event(transcript.Said, "I have noted that and will go on with the tests."), event(transcript.Prompt, "Go on.")}
	}
	return map[string][]transcript.Event{
		"stated":    said("For the record: " + sentence),
		"plain":     said(sentence),
		"always":    said("From now on always remember this: " + full + " That holds for all services."),
		"decided":   said("We decided this: " + full + " The reason is that the old way broke twice."),
		"preferred": said("I prefer that " + sentence),
		"fixed": {
			event(transcript.Prompt, "Deploy the service."),
			call("./deploy.sh staging", "error: deploy refused: "+sentence, true),
			event(transcript.Said, "The deploy failed because of this: "+sentence),
			call("./deploy.sh staging --force", "deployed", false),
			event(transcript.Said, "The fix was the following: "+full+" Now the deploy works."),
			event(transcript.Prompt, "Thanks."),
		},
		"run": {
			event(transcript.Prompt, "Deploy the service."),
			call("./deploy.sh staging", "error: deploy refused by the gateway: token missing", true),
			call("./deploy.sh staging "+sentence, "deployed", false),
			event(transcript.Said, "The deploy works now: the gateway wanted what I passed."),
			event(transcript.Prompt, "Thanks."),
		},
	}
}

// holds reports whether a text has a value, whatever the case and the blanks.
func holds(text, value string) bool {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return strings.Contains(fold(text), strings.TrimRight(fold(value), ".,;:!? "))
}
