package endtoend

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTemporalKeepsNoText sends texts through the doors, waits until they are stored, and looks
// for them in every file of Temporal: histories, search attributes, ids. Those of projects are
// there, because an owner wants to filter by them.
func TestTemporalKeepsNoText(t *testing.T) {
	t.Parallel()
	w := live(t, "sealed")
	const project = "quokka-project"
	needles := []needle{
		{"stored by the command line", "the zanzibar gateway speaks only on tuesdays"},
		{"stored by a tool", "every yttrium deploy needs two lantern keepers"},
		{"asked for", "who keeps the xylophone archive in november"},
		{"the reason of a forget", "vexillology is no longer our concern"},
	}
	w.ok(t, "store", needles[0].text, "--project", project, "--tags", "infra")
	door := w.stdio(t)
	if _, text := door.try(t, "memory_store", map[string]any{"text": needles[1].text, "project": project}); text != "" {
		t.Fatal(text)
	}
	w.ok(t, "recall", needles[2].text, "--project", project)
	// Not there: a refusal whose message travels through Temporal, too.
	w.cli(t, "", "edit", "0a1b2c3d-0000-4000-8000-000000000000", needles[3].text)
	w.ok(t, "organize", "--dry-run")
	w.end(t)
	found, err := searchFew(needles, filepath.Join(w.home, "temporal"))
	check(t, err)
	for _, f := range found {
		t.Error(f)
	}
	sees, err := searchFew([]needle{{"the project", project}}, filepath.Join(w.home, "temporal"))
	check(t, err)
	if len(sees) == 0 {
		t.Error("the project is in no file: the search sees too little")
	}
}

// searchFew looks for needles in the few files of a folder.
func searchFew(needles []needle, dir string) (found []error, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found = append(found, searchIn(path, data, index(needles))...)
	}
	return found, nil
}
