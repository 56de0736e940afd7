package extract_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/internal/extract"
	"github.com/mneme-memory/mneme/internal/transcript"
)

func todo(t *testing.T, items ...string) transcript.Event {
	t.Helper()
	type one struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	var list []one
	for i := 0; i < len(items); i += 2 {
		list = append(list, one{items[i], items[i+1]})
	}
	data, err := json.Marshal(map[string]any{"todos": list})
	if err != nil {
		t.Fatal(err)
	}
	return transcript.Event{Kind: transcript.Called, State: transcript.New, Tool: &transcript.ToolCall{Name: "TodoWrite", Input: data}}
}

func saidNew(kind transcript.Kind, text string) transcript.Event {
	return transcript.Event{Kind: kind, State: transcript.New, Text: text}
}

func TestOpenPoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []transcript.Event
		want   []string
		told   bool
	}{
		"list of tasks": {
			[]transcript.Event{todo(t, "Plan the zones", "completed", "Lower the TTLs", "pending", "Write the runbook", "in_progress")},
			[]string{"Lower the TTLs", "Write the runbook"},
			true,
		},
		"the last list counts": {[]transcript.Event{todo(t, "A first task", "pending"), todo(t, "A first task", "completed")}, nil, true},
		"said":                 {[]transcript.Event{saidNew(transcript.Said, "Done for today. Still open: the TTL change and the runbook.")}, []string{"the TTL change", "the runbook"}, true},
		"in a list":            {[]transcript.Event{saidNew(transcript.Said, "Next steps:\n\n- lower the TTLs\n- write the runbook\n\nTell me when.")}, []string{"lower the TTLs", "write the runbook"}, true},
		"by the person":        {[]transcript.Event{saidNew(transcript.Prompt, "Next we need to look at DNSSEC.")}, []string{"look at DNSSEC"}, true},
		"German":               {[]transcript.Event{saidNew(transcript.Said, "Noch offen: die Doku; der Test für Kassel.")}, []string{"die Doku", "der Test für Kassel"}, true},
		"Spanish":              {[]transcript.Event{saidNew(transcript.Said, "Pendiente: avisar a los tutores.")}, []string{"avisar a los tutores"}, true},
		"nothing":              {[]transcript.Event{saidNew(transcript.Said, "The port is open. We need to talk about ports.")}, nil, false},
		"a question":           {[]transcript.Event{saidNew(transcript.Prompt, "Do we still need to migrate?")}, nil, false},
		"an earlier step":      {[]transcript.Event{{Kind: transcript.Said, State: transcript.Earlier, Text: "Still open: the runbook."}}, nil, false},
	} {
		got, told := extract.OpenPoints(c.events)
		if !slices.Equal(got, c.want) || told != c.told {
			t.Errorf("%s: %q, %v; want %q, %v", name, got, told, c.want, c.told)
		}
	}
}

func FuzzOpenPoints(f *testing.F) {
	f.Add(`{"todos":[{"content":"a task","status":"pending"}]}`, "Still open: this and that.")
	f.Add(`{"todos":[null]}`, "Next steps:\n- a\n- b")
	f.Add(`[]`, "")
	f.Fuzz(func(t *testing.T, input, text string) {
		points, told := extract.OpenPoints([]transcript.Event{
			{Kind: transcript.Called, State: transcript.New, Tool: &transcript.ToolCall{Name: "TodoWrite", Input: json.RawMessage(input)}},
			saidNew(transcript.Said, text),
		})
		if len(points) > 6 || len(points) > 0 && !told {
			t.Errorf("%d points, told %v", len(points), told)
		}
	})
}
