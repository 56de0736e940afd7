package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standIn is a program that replaces the runner of the scenarios in tests. It plays no scenario and
// writes fixed figures, in the form in which the runner writes its own.
const standIn = `import json, sys
out = sys.argv[sys.argv.index("--json") + 1]
only = sys.argv[sys.argv.index("--only") + 1]
fig = lambda v: {"value": v, "low": v - .1, "high": v + .1, "n": 3}
json.dump({"parts": {
  only: {"figures": {"hit@1 by default": fig(.7), "strong for none": fig(.25)}, "scenarios": {}, "failed": []},
  "transcripts": {"figures": {"precision": fig(.95)}, "scenarios": {
    "one": [{"must": 4, "found": 1}], "eins": [{"must": 4, "found": 3}], "zwei": [{"must": 4, "found": 2}]}},
}}, open(out, "w"))
print("played")
`

func folderOfScenarios(t *testing.T) (folder, bin string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is missing: install it to test how scenarios are played")
	}
	folder, bin = t.TempDir(), t.TempDir()
	for _, program := range []string{"mneme", "mneme-hook", "mneme-mcp"} {
		write(t, filepath.Join(bin, program), "")
	}
	if err := os.Mkdir(filepath.Join(folder, "transcripts"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "run.py"), standIn)
	said := func(text string) string { return `{"type":"user","message":{"content":"` + text + `"}}` + "\n" }
	write(t, filepath.Join(folder, "transcripts", "one.jsonl"), said("we always deploy with the script in the folder"))
	for _, name := range []string{"eins", "zwei"} {
		write(t, filepath.Join(folder, "transcripts", name+".jsonl"), said("wir nehmen immer das Skript aus dem Ordner und nicht das andere"))
	}
	return folder, bin
}

func TestScenariosArePrintedBesideTheirBars(t *testing.T) {
	t.Parallel()
	folder, bin := folderOfScenarios(t)
	var out bytes.Buffer
	err := playScenarios(t.Context(), &out, scenarioRun{folder: folder, bin: bin, parts: "questions"})
	if err == nil || !strings.Contains(err.Error(), "questions: strong for none is .25, and should be ≤ .15") || strings.Contains(err.Error(), "hit@1") {
		t.Errorf("missed: %v", err)
	}
	for _, line := range []string{
		"played",
		"| questions | hit@1 by default | .70 | .60 to .80 | ≥ .65 | yes |",
		"| questions | strong for none | .25 | .15 to .35 | ≤ .15 | no |",
		"| transcripts | precision | .95 | .85 to 1 | ≥ .92 | yes |",
		"| transcripts | recall of must, de | .62 |  | ≥ .50 | yes |", // 5 of 8; the English one does not count
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is missing in\n%s", line, out.String())
		}
	}
}

func TestScenariosAreSkippedWithAReason(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := playScenarios(t.Context(), &out, scenarioRun{folder: t.TempDir(), bin: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "skipped: there are no scenarios at") || !strings.Contains(out.String(), "-scenarios") {
		t.Errorf("said %q", out.String())
	}
}

func TestScenariosWantThePrograms(t *testing.T) {
	t.Parallel()
	folder, _ := folderOfScenarios(t)
	err := playScenarios(t.Context(), &bytes.Buffer{}, scenarioRun{folder: folder, bin: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without programs: %v", err)
	}
}
