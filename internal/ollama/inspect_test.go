package ollama

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/memory"
)

// TestInspect asks for an installed model and for a missing one.
func TestInspect(t *testing.T) {
	t.Parallel()
	e := real(t, "mneme-static")
	if i := e.Inspect(t.Context()); len(i.Problems) > 0 || !i.Supported || i.Dimension != static.Dimension || i.Model != "mneme-static" {
		t.Errorf("there: %+v", i)
	}
	missing := dial(t, "http://"+e.address, "all-minilm")
	i := missing.Inspect(t.Context())
	if len(i.Problems) != 1 || i.Version == "" || !strings.Contains(memory.HintOf(i.Problems[0]), "ollama pull all-minilm") {
		t.Errorf("missing: %+v", i)
	}
}

// TestInspectAnOldServer asks one that does not know the call that embeds several texts.
func TestInspectAnOldServer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/version" {
			reply(w, http.StatusOK, map[string]string{"version": "0.1.48"})
			return
		}
		reply(w, http.StatusOK, map[string]any{})
	}))
	t.Cleanup(s.Close)
	i := dial(t, s.URL, "m").Inspect(t.Context())
	if i.Supported || len(i.Problems) != 1 || !strings.Contains(i.Problems[0].Error(), Oldest+" or newer is needed") {
		t.Errorf("%+v", i)
	}
}
