package memory_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"one two three", 12, "one two…"},
		{"one two three", 11, "one two…"},
		{"a verylongword", 12, "a verylon…"},
		{"日本語日本語", 10, "日本…"},
		{"line one\nline two", 14, "line one…"},
		{"abc", 1, "…"},
	} {
		if got := memory.Clip(tc.text, tc.limit); got != tc.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}

func TestClipKeepsItsBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(len(memory.Ellipsis), 40).Draw(t, "limit")
		got := memory.Clip(text, limit)
		if len(got) > limit {
			t.Fatalf("Clip(%q, %d) has %d bytes", text, limit, len(got))
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("Clip(%q, %d) = %q cuts a rune", text, limit, got)
		}
		if head := strings.TrimSuffix(got, memory.Ellipsis); !strings.HasPrefix(text, head) {
			t.Fatalf("Clip(%q, %d) = %q is no beginning of it", text, limit, got)
		}
	})
}
