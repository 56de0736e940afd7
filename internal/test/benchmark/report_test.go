package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRewriteKeepsTheRestOfThePage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.md")
	const before, after = "# Title\n\n", "\n\nthe end\n"
	if err := os.WriteFile(path, []byte(before+beginMark+"old"+endMark+after), 0o600); err != nil {
		t.Fatal(err)
	}
	results := []Result{{
		Suite: Suite{Name: "recall", About: "answers"},
		Rows: []Row{
			ratioRow("a|b", 30*time.Millisecond, "empty", 10*time.Millisecond, 2, 7),
			{What: "no budget", Measured: "1"},
		},
	}}
	for range 2 { // a second run changes nothing more
		if err := rewrite(path, "a machine", suites(), results); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if !strings.HasPrefix(page, before) || !strings.HasSuffix(page, after) || strings.Contains(page, "old") {
		t.Errorf("got\n%s", page)
	}
	for _, want := range []string{"a machine, ", "### recall: answers", `| a\|b | 30.0 ms | empty 10.0 ms | 3.00 | ≤ 2 × | **no** | 7 |`, "| no budget | 1 |  |  |  |  |  |"} {
		if strings.Count(page, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(page, want), page)
		}
	}
	// Another suite comes to its place, and the first one stays.
	other := []Result{{Suite: Suite{Name: "start", About: "beginning"}, Rows: []Row{{What: "soon"}}}}
	if err := rewrite(path, "another machine", suites(), other); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	first, second, ok := strings.Cut(string(data), "### recall: answers")
	if !ok || !strings.Contains(first, "### start: beginning") || !strings.Contains(first, "another machine, ") ||
		!strings.Contains(second, "| no budget | 1 |") || !strings.HasSuffix(second, after) {
		t.Errorf("after another suite:\n%s", data)
	}
	if err := rewrite(filepath.Join(t.TempDir(), "none"), "", nil, nil); err == nil {
		t.Error("a page that is not there was rewritten")
	}
	if _, err := between("a page without marks", ""); err == nil {
		t.Error("a page without marks was rewritten")
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all, err := choose(suites(), nil)
	if err != nil || len(all) != len(suites()) {
		t.Errorf("no names: %d suites, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.Name] || s.About == "" || s.Run == nil {
			t.Errorf("suite %+v", s)
		}
		seen[s.Name] = true
	}
	two, err := choose(suites(), []string{"store", "recall"})
	if err != nil || len(two) != 2 || two[0].Name != "recall" {
		t.Errorf("two names: %v, %v", two, err)
	}
	if _, err := choose(suites(), []string{"none"}); err == nil || !strings.Contains(err.Error(), "recall") {
		t.Errorf("an unknown name: %v", err)
	}
}
