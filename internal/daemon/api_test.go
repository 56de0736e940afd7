package daemon_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/rest"
	"github.com/mneme-memory/mneme/memory"
)

// TestAPI stores a text twice with one key, as a program does that heard no answer, reads it and what
// happened, and is refused without the token, with the file of which nobody else can do anything.
func TestAPI(t *testing.T) {
	t.Parallel()
	r := run(t, t.TempDir(), nil)
	file := config.APITokenPath(r.config.Home)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token's file: %v, %v", info, err)
	}
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body, token string, out any) int {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), method, r.state.Console+rest.Root+path, bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Idempotency-Key", "once")
		if token != "" {
			q.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode < http.StatusBadRequest {
			if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
		}
		return resp.StatusCode
	}
	good := strings.TrimSpace(string(token))
	var first, second memory.StoreResult
	const body = `{"text":"The staging database is copied every Monday.","project":"shop"}`
	if a, b := ask("POST", "/memories", body, good, &first), ask("POST", "/memories", body, good, &second); a >= 400 || b >= 400 || first.ID != second.ID || second.Status != memory.Accepted {
		t.Errorf("stored: %d %+v, %d %+v", a, first, b, second)
	}
	var page rest.MemoryPage
	if status := ask("GET", "/memories?project=shop", "", good, &page); status != 200 || len(page.Memories) != 1 || page.Memories[0].Source != memory.SourceAPI {
		t.Errorf("list: %d %+v", status, page)
	}
	var events rest.EventPage
	if status := ask("GET", "/events?action=store", "", good, &events); status != 200 || len(events.Events) != 1 {
		t.Errorf("events: %d %+v", status, events)
	}
	for name, token := range map[string]string{"no token": "", "another": "x" + good} {
		if status := ask("GET", "/memories", "", token, nil); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
	}
}
