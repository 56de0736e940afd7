package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/metrics"
	"github.com/mneme-memory/mneme/memory"
)

// figuresOf returns the metrics of a state in which everything can be told.
func figuresOf(t *testing.T) []metrics.Metric {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := &app{sys: System{Now: func() time.Time { return now }}}
	waits := func(part string, n int, since time.Duration) memory.Waiting {
		return memory.Waiting{Wait: memory.Wait{Part: part}, Count: n, Since: now.Add(-since)}
	}
	st := state{servers: map[string]doctor.Server{homestate.TemporalService: {Service: homestate.Service{Address: "a:1"}}}}
	st.Stats = &memory.Stats{
		Live: map[string]int{"learnings": 2, "episodes": 1}, Projects: 2, Unindexed: 3, NearlyPruned: 4,
		Held: []memory.HeldPrune{{Memories: 5}, {Memories: 6}},
	}
	st.Waiting = []memory.Waiting{waits("Qdrant", 2, time.Minute), waits("Qdrant", 1, time.Hour), waits("Ollama", 1, -time.Minute)}
	index := &memory.IndexState{Collections: []memory.IndexCollection{{Lost: 7, Extra: 8, Differ: 9}}}
	all, err := a.figures(st, t.TempDir(), index)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFigures(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := metrics.Write(&out, figuresOf(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"mneme_up 1", `mneme_server_up{server="temporal"} 1`, `mneme_memories{collection="episodes"} 1`, "mneme_held 11", "mneme_unindexed 3",
		`mneme_waiting_changes{part="Qdrant"} 3`, `mneme_waiting_seconds{part="Qdrant"} 3600`, `mneme_waiting_seconds{part="Ollama"} 0`,
		"mneme_waiting 4", "mneme_index_lost 7", "mneme_index_extra 8", "mneme_index_different 9", "mneme_spool_entries 0",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), `server="qdrant"`) {
		t.Error("a server that nobody knows has a figure")
	}
}

// A figure that could not be read is left out and not shown as zero.
func TestFiguresOfNothing(t *testing.T) {
	t.Parallel()
	a := &app{sys: System{Now: time.Now}}
	all, err := a.figures(state{}, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		if len(m.Samples) > 0 {
			names = append(names, m.Name)
		}
	}
	if want := []string{"mneme_up", "mneme_time_seconds", "mneme_spool_entries", "mneme_spool_quarantined"}; !slices.Equal(names, want) || all[0].Samples[0].Value != 0 {
		t.Errorf("it tells %q", names)
	}
}

// TestAlertsAndDashboard looks up each figure that they use, and each figure is used by one.
func TestAlertsAndDashboard(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range figuresOf(t) {
		known[m.Name] = false
	}
	name := regexp.MustCompile(`\bmneme_[a-z_]+`)
	deploy := filepath.Join("..", "..", "deploy")
	for _, file := range []string{"prometheus/alerts.yaml", "grafana/mneme.json"} {
		text, err := os.ReadFile(filepath.Join(deploy, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s is no JSON", file)
		}
		found := name.FindAllString(string(text), -1)
		if len(found) < 10 {
			t.Errorf("%s has %d figures", file, len(found))
		}
		for _, one := range found {
			if _, ok := known[one]; !ok {
				t.Errorf("%s uses %s, which there is not", file, one)
			}
			known[one] = true
		}
		for _, run := range regexp.MustCompile(`run: "mneme ([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			if problem := unknown((&app{}).root(), strings.Fields(run[1])); problem != "" {
				t.Errorf("%s: mneme %s: %s", file, run[1], problem)
			}
		}
	}
	for one, used := range known {
		if !used && one != "mneme_projects" {
			t.Errorf("nobody looks at %s", one)
		}
	}
}
