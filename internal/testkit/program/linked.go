package program

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// NotLinked checks that the package under test depends, however far away, on
// nothing whose import path begins like a key of unwanted, and on nothing that
// uses cgo. The values say why not.
func NotLinked(t *testing.T, unwanted map[string]string) {
	t.Helper()
	const format = "{{.ImportPath}}{{if not .Standard}}{{if .CgoFiles}} uses cgo{{end}}{{end}}"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, ".").Output()
	if err != nil {
		t.Fatalf("list the dependencies: %v", err)
	}
	deps := "\n" + string(out)
	for _, path := range slices.Sorted(maps.Keys(unwanted)) {
		if strings.Contains(deps, "\n"+path) {
			t.Errorf("depends on %s: %s", path, unwanted[path])
		}
	}
	if strings.Contains(deps, " uses cgo\n") {
		t.Errorf("a dependency uses cgo:%s", deps)
	}
}
