package memory_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, file string
		tags       []string
		want       bool
	}{
		{"Retries are set in internal/pay/retry.go.", "internal/pay/retry.go", nil, true},
		{"Retries are set in Retry.go, line 12", `src\pay\retry.go`, nil, true},
		{"see (retry.go:12)", "/home/me/shop/retry.go", nil, true},
		{"see xretry.go", "retry.go", nil, false},
		{"see no-retry.go", "retry.go", nil, false},
		{"made of retry.go.tmpl", "retry.go", nil, false},
		{"made of retry.go.tmpl, not of retry.go", "retry.go", nil, true},
		{"the Makefile", "Makefile", nil, true},
		{"two Makefiles", "Makefile", nil, false},
		{"Nothing.", "retry.go", []string{"retry.go"}, true},
		{"Nothing.", "/", nil, false},
		{"Nothing.", "", nil, false},
	} {
		m := memory.Memory{Text: c.text, Tags: c.tags}
		if got := m.Mentions([]string{"other.txt", c.file}); got != c.want {
			t.Errorf("%q mentions %q: %v", c.text, c.file, got)
		}
	}
}
