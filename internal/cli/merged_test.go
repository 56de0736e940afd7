package cli

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// TestGetOfWhatWasMergedAway shows the survivor, says so, and misses nothing.
func TestGetOfWhatWasMergedAway(t *testing.T) {
	t.Parallel()
	f := fake{get: func([]string) ([]memory.Details, error) {
		return []memory.Details{{Memory: memory.Memory{ID: idB, Text: "The survivor.", State: memory.Live}, StandsFor: []string{idA}}}, nil
	}}
	code, out, errs := newSession(t, f).run(t.Context(), "get", idA)
	if code != ExitDone || !strings.Contains(out, "The survivor.") || !strings.Contains(errs, memory.ShortID(idA)+" was merged into "+memory.ShortID(idB)) || strings.Contains(errs, "there is no") {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
}
