package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// heard is a session with one thing for the rules and two for a model.
func heard() []transcript.Event {
	return talk(
		"> start the queue", // e1
		"! make queue | Error: connect ECONNREFUSED 127.0.0.1:5672", // e2
		"$ docker compose up -d rabbit | started",                   // e3
		"$ make queue | ok",                                         // e4
		"The queue runs. RabbitMQ has to be up first.",              // e5
		"> Always name queues after the service that reads them.",   // e6
		"~ - Invoices are numbered per country and year",            // e7
		"Invoices are numbered per country and year, so I kept it.", // e8
	)
}

// answers is a model with one fixed answer, which also records its questions.
type answers struct {
	text   string
	err    error
	system string
	user   string
	schema json.RawMessage
}

func (a *answers) chat(_ context.Context, system, user string, schema json.RawMessage) (string, error) {
	a.system, a.user, a.schema = system, user, schema
	return a.text, a.err
}

const goodFact = `{"text":"RabbitMQ has to be up before the queue runs: docker compose up -d rabbit.","type":"learning","score":0.9,"sources":["e3","e5"]}`

func TestModelAnswers(t *testing.T) {
	t.Parallel()
	a := &answers{text: `{"facts":[` + goodFact + `]}`}
	got := Extract(t.Context(), heard(), a.chat, Options{})
	if got.Method != ByModel || got.Fallback != "" || got.Refused != 0 || len(got.Candidates) != 1 {
		t.Fatalf("%+v", got)
	}
	c := got.Candidates[0]
	if c.Rule != "model" || c.Type != memory.TypeLearning || c.Collection != memory.ShortTerm || strings.Join(c.UUIDs, " ") != "u2 u4" {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(a.user, "[e2] tool Bash make queue → failed: Error: connect ECONNREFUSED") || !strings.Contains(a.user, "[memory] - Invoices") || !strings.Contains(a.system, "at most 5") {
		t.Errorf("asked:\n%s\n%s", a.system, a.user)
	}
	var schema map[string]any
	if err := json.Unmarshal(a.schema, &schema); err != nil {
		t.Errorf("the schema is no JSON: %v", err)
	}
}

func TestModelMayFindNothing(t *testing.T) {
	t.Parallel()
	a := &answers{text: `{"facts":[]}`}
	if got := Extract(t.Context(), heard(), a.chat, Options{}); got.Method != ByModel || len(got.Candidates) != 0 || got.Fallback != "" {
		t.Errorf("%+v", got)
	}
}

func TestNoModel(t *testing.T) {
	t.Parallel()
	got := Extract(t.Context(), heard(), nil, Options{})
	if got.Method != ByRules || got.Fallback != "" || len(got.Candidates) != 2 {
		t.Errorf("%+v", got)
	}
}

// Whatever is wrong with the form of an answer, the rules take over and the result says why.
func TestModelFallsBack(t *testing.T) {
	t.Parallel()
	fact := func(text, typ, score, sources string) string {
		return fmt.Sprintf(`{"facts":[%s,{"text":%q,"type":%q,"score":%s,"sources":%s}]}`, goodFact, text, typ, score, sources)
	}
	const text = "RabbitMQ has to be up before the queue runs."
	for name, answer := range map[string]string{
		"prose":           "Here are the facts: none.",
		"empty":           "",
		"array":           "[]",
		"other object":    `{"memories":[]}`,
		"no facts":        `{}`,
		"null facts":      `{"facts":null}`,
		"two values":      `{"facts":[]} {"facts":[]}`,
		"unknown member":  `{"facts":[],"thoughts":"x"}`,
		"cut off":         `{"facts":[` + goodFact,
		"short":           fact("RabbitMQ.", "fact", "0.9", `["e5"]`),
		"long":            fact(strings.Repeat("RabbitMQ ", 100), "fact", "0.9", `["e5"]`),
		"type":            fact(text, "rumour", "0.9", `["e5"]`),
		"trajectory":      fact(text, "trajectory", "0.9", `["e5"]`),
		"score above 1":   fact(text, "fact", "1.5", `["e5"]`),
		"negative score":  fact(text, "fact", "-0.1", `["e5"]`),
		"no score":        fact(text, "fact", "null", `["e5"]`),
		"score as text":   fact(text, "fact", `"high"`, `["e5"]`),
		"no source":       fact(text, "fact", "0.9", `[]`),
		"unknown source":  fact(text, "fact", "0.9", `["e99"]`),
		"memory cited":    fact(text, "fact", "0.9", `["e7"]`),
		"too many":        `{"facts":[` + strings.Repeat(goodFact+",", 30) + goodFact + `]}`,
		"far too long":    strings.Repeat(" ", 70<<10) + `{"facts":[]}`,
		"only inventions": `{"facts":[{"text":"Kafka needs eleven brokers in Frankfurt.","type":"fact","score":0.9,"sources":["e5"]}]}`,
	} {
		got := Extract(t.Context(), heard(), (&answers{text: answer}).chat, Options{})
		if got.Method != ByRules || got.Fallback == "" || len(got.Candidates) != 2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := Extract(t.Context(), heard(), (&answers{err: errors.New("no such model")}).chat, Options{})
	if got.Method != ByRules || !strings.Contains(got.Fallback, "no such model") {
		t.Errorf("%+v", got)
	}
}

// A fact that what it cites does not bear out is left out, the rest stays.
func TestModelInventions(t *testing.T) {
	t.Parallel()
	for name, fact := range map[string]string{
		"other words":  `{"text":"The team deploys on Kubernetes with Helm charts every Monday.","type":"fact","score":0.9,"sources":["e5"]}`,
		"other figure": `{"text":"The queue has to be up on port 5673 before RabbitMQ runs.","type":"fact","score":0.9,"sources":["e2","e5"]}`,
		"a guess":      `{"text":"RabbitMQ might have to be up before the queue runs.","type":"fact","score":0.9,"sources":["e5"]}`,
		"recalled":     `{"text":"Invoices are numbered per country and year.","type":"fact","score":0.9,"sources":["e8"]}`,
		"unsure":       `{"text":"RabbitMQ has to be up before the queue runs.","type":"fact","score":0.2,"sources":["e5"]}`,
		"wrong source": `{"text":"RabbitMQ has to be up before the queue runs.","type":"fact","score":0.9,"sources":["e6"]}`,
	} {
		a := &answers{text: `{"facts":[` + goodFact + `,` + fact + `]}`}
		got := Extract(t.Context(), heard(), a.chat, Options{})
		if got.Method != ByModel || got.Refused != 1 || len(got.Candidates) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The model sees no more than its limit, the newest, and nothing of the open turn.
func TestModelQuestionIsBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("> prompt %d %s", i, strings.Repeat("word ", 300)))
	}
	events := talk(append(lines, "> the open turn")...)
	events[len(events)-1].State = transcript.Ahead
	a := &answers{text: `{"facts":[]}`}
	Extract(t.Context(), events, a.chat, Options{})
	if len(a.user) > maxAsked || !strings.Contains(a.user, "prompt 399") || strings.Contains(a.user, "prompt 0 ") || strings.Contains(a.user, "open turn") {
		t.Errorf("%d bytes", len(a.user))
	}
	for i := range events {
		events[i].State = transcript.Earlier
	}
	b := &answers{}
	if got := Extract(t.Context(), events, b.chat, Options{}); b.user != "" || len(got.Candidates) != 0 {
		t.Errorf("asked about nothing new: %+v", got)
	}
	if got := Extract(t.Context(), heard(), b.chat, Options{Limit: -1}); b.user != "" || len(got.Candidates) != 0 {
		t.Errorf("asked for nothing: %+v", got)
	}
}

func FuzzModelAnswer(f *testing.F) {
	f.Add(`{"facts":[` + goodFact + `]}`)
	f.Add(`{"facts":[{"text":"","type":"x","score":9,"sources":["e1"]}]}`)
	events := heard()
	f.Fuzz(func(t *testing.T, answer string) {
		got := Extract(t.Context(), events, (&answers{text: answer}).chat, Options{})
		if got.Method == ByRules && got.Fallback == "" {
			t.Error("no reason given")
		}
		for _, c := range got.Candidates {
			if len(c.UUIDs) == 0 || len(c.Text) > MaxTextBytes || !memory.KnownType(c.Type) {
				t.Errorf("%+v", c)
			}
		}
	})
}
