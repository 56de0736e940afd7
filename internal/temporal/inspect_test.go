package temporal_test

import (
	"path/filepath"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	embedded "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
)

// TestInspect asks a server that is as it should be, one whose namespace lacks something or is
// missing, and an address at which nobody answers. Each finding comes with a hint what to do.
func TestInspect(t *testing.T) {
	t.Parallel()
	server, err := embedded.Start(t.Context(), embedded.Options{
		Dir: t.TempDir(), Namespace: "notes", Headless: true,
		SearchAttributes: map[string]enumspb.IndexedValueType{"Project": enumspb.INDEXED_VALUE_TYPE_KEYWORD},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	cfg := config.Temporal{Address: server.Addr(), Namespace: "notes", KeyFile: filepath.Join(t.TempDir(), "payload.keys")}
	elsewhere, nowhere := cfg, cfg
	elsewhere.Namespace, nowhere.Address = "other", "127.0.0.1:1"
	for _, c := range []struct {
		name             string
		cfg              config.Temporal
		attributes       []string
		problem, warning string
		hint             string
	}{
		{name: "as it should be", cfg: cfg, attributes: []string{"Project"}},
		{name: "an attribute is missing", cfg: cfg, attributes: []string{"Project", "Action"}, warning: "no search attribute Action", hint: "search-attribute create --namespace notes --type Keyword --name Action"},
		{name: "no namespace", cfg: elsewhere, problem: "namespace other", hint: "namespace create --retention 72h --namespace other"},
		{name: "nobody answers", cfg: nowhere, problem: "no answer from Temporal at 127.0.0.1:1", hint: "check MNEME_TEMPORAL_ADDRESS"},
	} {
		i := temporal.Inspect(t.Context(), c.cfg, c.attributes)
		for what, found := range map[string]struct {
			errs []error
			want string
		}{"problem": {i.Problems, c.problem}, "warning": {i.Warnings, c.warning}} {
			switch {
			case found.want == "" && len(found.errs) > 0:
				t.Errorf("%s: it has a %s: %v", c.name, what, found.errs)
			case found.want == "":
			case len(found.errs) != 1 || !strings.Contains(found.errs[0].Error(), found.want) || !strings.Contains(memory.HintOf(found.errs[0]), c.hint):
				t.Errorf("%s: the %s is %v, want %q and the hint %q", c.name, what, found.errs, found.want, c.hint)
			}
		}
	}
}
