package cli

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
)

// TestConfigHelpListsEverySetting holds the help to what errors about settings promise of it.
func TestConfigHelpListsEverySetting(t *testing.T) {
	t.Parallel()
	code, out, _ := newSession(t, fake{}).run(t.Context(), "config", "--help")
	if code != ExitDone {
		t.Fatalf("exit %d", code)
	}
	for _, d := range config.Describe() {
		if d.Usage == "" || !strings.Contains(out, "  "+d.Setting+" ") || !strings.Contains(out, " "+d.Env+" ") || d.Flag != "" && !strings.Contains(out, "(--"+d.Flag+")") {
			t.Errorf("%+v is not in the help:\n%s", d, out)
		}
	}
}
