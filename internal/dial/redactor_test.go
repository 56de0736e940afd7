package dial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
)

// redact redacts a text as a door of the home with that file of keys.
func redact(t *testing.T, keys, text string) string {
	t.Helper()
	r, err := dial.Redactor(config.Temporal{KeyFile: keys}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	clean, _ := r.Redact(text)
	return clean
}

// Two machines that share the keys of Temporal's payloads write the same marks, and machines with
// different keys write different marks. For a text in which nothing is redacted, no key is made.
func TestMarksAreSharedWithTheKeys(t *testing.T) {
	t.Parallel()
	const text = "ask jana@corp.net"
	one, copied, other := filepath.Join(t.TempDir(), "k"), filepath.Join(t.TempDir(), "k"), filepath.Join(t.TempDir(), "k")
	if redact(t, one, "the service listens on port 8080"); exists(one) {
		t.Error("a key was made for a text without findings")
	}
	first := redact(t, one, text)
	keys, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	if second := redact(t, copied, text); second != first || !strings.HasPrefix(first, "ask [redacted:email:") {
		t.Errorf("%q and %q", first, second)
	}
	if third := redact(t, other, text); third == first {
		t.Errorf("%q with other keys", third)
	}
	if bare := redact(t, "", text); bare != "ask [redacted:email]" {
		t.Errorf("%q without keys", bare)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
