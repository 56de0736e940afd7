package ollama

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// chatAt returns a chat with a server that answers as handler does.
func chatAt(t *testing.T, handler http.HandlerFunc) *Chat {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	c, err := NewChat(Options{URL: srv.URL, Model: "llama3.2", Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// saying is an answer in Ollama's format, as its server writes it.
func saying(content, reason string) string {
	b, _ := json.Marshal(content)
	return `{"model":"llama3.2","created_at":"2026-01-02T03:04:05.678Z","message":{"role":"assistant","content":` + string(b) +
		`},"done":true,"done_reason":"` + reason + `","total_duration":5191566416,"load_duration":2154458,"prompt_eval_count":26,` +
		`"prompt_eval_duration":383809000,"eval_count":298,"eval_duration":4799921000}`
}

func TestChat(t *testing.T) {
	t.Parallel()
	var got map[string]any
	c := chatAt(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, saying(" The API listens on port 8443.\n", "stop"))
	})
	text, err := c.Chat(t.Context(), "Summarise")
	if err != nil || text != "The API listens on port 8443." {
		t.Errorf("answered %q, %v", text, err)
	}
	messages := got["messages"].([]any)
	last := messages[len(messages)-1].(map[string]any)
	options := got["options"].(map[string]any)
	if got["model"] != "llama3.2" || got["stream"] != false || got["think"] != false || last["role"] != "user" ||
		last["content"] != "Summarise" || options["num_predict"] != float64(maxAnswerTokens) {
		t.Errorf("asked %v", got)
	}
	if c.ChatModel() != "llama3.2" {
		t.Error(c.ChatModel())
	}
}

func TestChatAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A sentence that repeats. ", 2_000)
	for name, tc := range map[string]struct{ content, reason, want string }{
		"thoughts":      {"<think>\nhm\n</think>\n\nThe answer.", "stop", "The answer."},
		"cut off":       {"One is whole. Two is n", "length", "One is whole."},
		"cut off, one":  {"one is never whole", "length", "one is never whole"},
		"without limit": {long, "stop", strings.TrimSpace(long[:maxAnswerBytes][:strings.LastIndex(long[:maxAnswerBytes], ".")+1])},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := chatAt(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, saying(tc.content, tc.reason)) })
			if got, err := c.Chat(t.Context(), "x"); err != nil || got != tc.want {
				t.Errorf("answered %.100q, %v", got, err)
			}
		})
	}
}

func TestChatErrors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status     int
		body       string
		code       memory.Code
		text, hint string
	}{
		"model missing":    {404, `{"error":"model \"llama3.2\" not found"}`, memory.Refused, "not found", "ollama pull llama3.2"},
		"broken":           {500, `{"error":"llama runner process has terminated"}`, memory.Unavailable, "terminated", "Ollama's own log"},
		"no chat model":    {400, `{"error":"\"llama3.2\" does not support chat"}`, memory.Refused, "does not support chat", "llama3.2"},
		"empty":            {200, saying("  ", "stop"), memory.Internal, "empty answer", "another chat model"},
		"thought too long": {200, saying("<think>hm, on and on", "length"), memory.Internal, "empty answer", "another chat model"},
		"no end":           {200, `{"model":"llama3.2","message":{"role":"assistant","content":"The"},"done":false}`, memory.Unavailable, "cut off", ""},
		"no answer":        {200, ``, memory.Unavailable, "cut off", ""},
		"no Ollama":        {200, `<html>`, memory.Internal, "<html>", ""},
		"error in body":    {200, `{"error":"out of memory"}`, memory.Internal, "out of memory", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := chatAt(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			})
			got, err := c.Chat(t.Context(), "x")
			if got != "" || memory.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.text) || !strings.Contains(memory.HintOf(err), tc.hint) {
				t.Errorf("answered %q, %v (%s, %s)", got, err, memory.CodeOf(err), memory.HintOf(err))
			}
		})
	}
}

// A model that takes too long is unavailable, and the server is let go.
func TestChatTimeout(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
		close(gone)
	}))
	defer srv.Close()
	c, err := NewChat(Options{URL: srv.URL, Model: "m", Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Chat(t.Context(), "x"); memory.CodeOf(err) != memory.Unavailable {
		t.Errorf("ended with %v", err)
	}
	<-gone
}

func TestChatOptions(t *testing.T) {
	t.Parallel()
	for _, opts := range []Options{{URL: "nonsense", Model: "m"}, {URL: "http://127.0.0.1:1", Model: " "}} {
		if c, err := NewChat(opts); c != nil || memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	var got struct {
		Format   map[string]any   `json:"format"`
		Messages []map[string]any `json:"messages"`
	}
	c := chatAt(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, saying(`{"facts":[]}`, "stop"))
	})
	answer, err := c.Structured(t.Context(), "Find facts.", "A session", json.RawMessage(`{"type":"object"}`))
	if err != nil || answer != `{"facts":[]}` {
		t.Errorf("answered %q, %v", answer, err)
	}
	if got.Format["type"] != "object" || len(got.Messages) != 2 || got.Messages[0]["content"] != "Find facts." {
		t.Errorf("asked %v", got)
	}
	c = chatAt(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, saying(`{"facts":[{"te`, "length"))
	})
	if _, err := c.Structured(t.Context(), "s", "p", json.RawMessage(`{}`)); err == nil {
		t.Error("half an answer was taken for one")
	}
}
