package activities

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// records is a ledger that can only be read.
type records struct {
	Ledger
	list []memory.Record
}

func (r records) Records(context.Context, memory.Page) ([]memory.Record, error) { return r.list, nil }

// chat is a model that answers as it is told.
type chat func(prompt string) (string, error)

func (c chat) Chat(_ context.Context, prompt string) (string, error) { return c(prompt) }
func (c chat) ChatModel() string                                     { return "llama3.2" }

func TestSummaryNamesItsMethod(t *testing.T) {
	t.Parallel()
	var asked string
	notes := records{list: []memory.Record{{Memory: memory.Memory{ID: "a", Text: "The API listens on port 8443."}, Vector: memory.Vector{1}}}}
	for name, tc := range map[string]struct {
		ledger       records
		chat         Chatter
		text, method string
	}{
		"no model": {notes, nil, "The API listens on port 8443.", "extractive"},
		"model": {
			notes, chat(func(prompt string) (string, error) { asked = prompt; return "Port 8443.", nil }),
			"Port 8443.", "model llama3.2",
		},
		"model fails": {notes, chat(func(string) (string, error) {
			return "", memory.Errorf(memory.Refused, `fetch it with "ollama pull llama3.2"`, "the model is not there")
		}), "The API listens on port 8443.", `extractive (the chat model llama3.2 failed: the model is not there; fetch it with "ollama pull llama3.2")`},
		"nothing to summarise": {records{}, chat(func(string) (string, error) { return "", errors.New("not to be asked") }), "", "extractive"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &Activities{Ledger: tc.ledger, Chat: tc.chat}
			got, err := a.summarize(t.Context(), memory.SummaryInput{Sentences: 3})
			if err != nil || got.Text != tc.text || got.Method != tc.method {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if !strings.Contains(asked, "port 8443") {
		t.Errorf("the model was asked %q", asked)
	}
}

func TestSummaryMethodIsShort(t *testing.T) {
	t.Parallel()
	got := withoutModel("m", errors.New(strings.Repeat("long words ", 100)))
	if len(got) > 400 || !strings.HasSuffix(got, "…)") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
