package claudetest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body)) //nolint:noctx // the server is this test's own
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

const (
	mainBody    = `{"model":"m","stream":true,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"hello"}]}`
	compactBody = `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[{"type":"text","text":"create a detailed summary of the conversation"}]}]}`
	resultBody  = `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"boom"}]}]},{"role":"system","content":"note"}]}`
)

// TestModelPlays: rules first, then the turns in order, then the default.
func TestModelPlays(t *testing.T) {
	t.Parallel()
	m, err := NewModel(Script{
		Rules: []Rule{{Match: regexp.MustCompile("boom"), Turn: Turn{Status: 529}}},
		Turns: []Turn{Call("Bash", map[string]any{"command": "ls"})},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	_, stream := post(t, m.URL()+"/v1/messages?beta=true", mainBody)
	if want := `"partial_json":"{\"command\":\"ls\"}"`; !strings.Contains(stream, want) {
		t.Errorf("the stream lacks %s:\n%s", want, stream)
	}
	if got := eventNames(t, stream); got != "message_start block block block block block block message_delta message_stop" {
		t.Errorf("events: %s", got)
	}
	if _, text := post(t, m.URL()+"/v1/messages", compactBody); !strings.Contains(text, "STUB-SUMMARY") {
		t.Errorf("a compaction was answered with %s", text)
	}
	if status, _ := post(t, m.URL()+"/v1/messages", resultBody); status != 529 {
		t.Errorf("the rule answered %d", status)
	}
	if _, text := post(t, m.URL()+"/v1/messages", strings.Replace(mainBody, `"stream":true,`, "", 1)); !strings.Contains(text, `"text":"OK."`) {
		t.Errorf("after the turns came %s", text)
	}
	if _, text := post(t, m.URL()+"/v1/messages/count_tokens", mainBody); !strings.Contains(text, "input_tokens") {
		t.Errorf("tokens were counted as %s", text)
	}
	kinds := ""
	for _, q := range m.Requests() {
		kinds += q.Kind + " "
	}
	if kinds != "main compact rule main count_tokens " {
		t.Errorf("kinds: %s", kinds)
	}
	found := Result{Requests: m.Requests()}.Find("boom")
	if len(found) != 1 || found[0].Place != "0.user.tool_result.error.text" || found[0].Request != 3 {
		t.Errorf("found %v", found)
	}
}

// eventNames checks that every event's data repeats its name, and lists the names.
func eventNames(t *testing.T, stream string) string {
	t.Helper()
	var names []string
	name := ""
	for lines := bufio.NewScanner(strings.NewReader(stream)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = rest
		}
		rest, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var data struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(rest), &data); err != nil || data.Type != name {
			t.Errorf("event %s has the data %s: %v", name, rest, err)
		}
		if strings.HasPrefix(name, "content_block") {
			name = "block"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}
