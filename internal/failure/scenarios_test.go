package failure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// scenario pairs some memories with a failure.
type scenario struct {
	Memories []struct {
		Text string `json:"text"`
		Type string `json:"type"`
	} `json:"memories"`
	Failures []struct {
		Tool  string `json:"tool"`
		Input struct {
			Command string `json:"command"`
		} `json:"input"`
		Error  string `json:"error"`
		Expect *int   `json:"expect"`
	} `json:"failures"`
}

// Of all memories the one that helps fits, and no other.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"../extract/testdata/scenarios", "../test/evaluation/testdata/scenarios", "../../../shared/scenarios"} {
		files, _ := filepath.Glob(filepath.Join(dir, "errors", "*.json"))
		if len(files) == 0 {
			t.Logf("no scenarios in %s", dir)
			continue
		}
		var expected, hit, quiet, wrong, others int
		var all []scenario
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var s scenario
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		for n, s := range all {
			for _, f := range s.Failures {
				r := Read(f.Input.Command, f.Error)
				if f.Expect == nil {
					quiet++
				} else {
					expected++
				}
				for m, other := range all {
					for i, mem := range other.Memories {
						score := r.Score(mem.Text)
						right := m == n && f.Expect != nil && *f.Expect == i
						switch {
						case right && score >= 1:
							hit++
						case right:
							t.Logf("missed %.2f: %.60q: %.100s", score, f.Error, mem.Text)
						case score >= 1:
							others++
							if f.Expect == nil {
								wrong++
							}
							t.Logf("wrong %.2f: %.90q: %.120s", score, f.Error, mem.Text)
						case score > 0.75:
							t.Logf("close %.2f: %.90q: %.120s", score, f.Error, mem.Text)
						}
					}
				}
			}
		}
		t.Logf("%s: shown %d of %d, another one %d, for null %d of %d", dir, hit, expected, others, wrong, quiet)
		if float64(hit) < 0.92*float64(expected) || float64(others) > 0.05*float64(expected+quiet) {
			t.Errorf("%s: shown %d of %d, another one %d", dir, hit, expected, others)
		}
	}
}
