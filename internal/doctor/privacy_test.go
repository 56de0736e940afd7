package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrivacyRules warns of rules that are left out, with file and line, and counts the others.
func TestPrivacyRules(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := Options{Env: func(string) string { return home }, Dir: t.TempDir()}
	write := func(rules string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".claude", "CLAUDE.md"), []byte("## Privacy\n"+rules), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("- ticket: `ACME-\\d+`\n")
	if detail, err := o.privacy(t.Context()); err != nil || detail != "1 rule of CLAUDE.md files in force here" {
		t.Errorf("good rules: %q, %v", detail, err)
	}
	write("- ticket: `ACME-\\d+`\n- broken: `(`\n")
	var warning Warning
	_, err := o.privacy(t.Context())
	if !errors.As(err, &warning) || !strings.Contains(err.Error(), "CLAUDE.md:3: ") {
		t.Errorf("a broken rule: %v", err)
	}
}
