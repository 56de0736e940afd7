package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/memory"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		then []string
		want []string // nil: refused
	}{
		"one":         {" a ", nil, []string{"a"}},
		"three":       {"a", []string{"b ", "c"}, []string{"a", "b", "c"}},
		"none":        {"", nil, nil},
		"one of none": {"a", []string{" "}, nil},
		"NUL":         {"a", []string{"b\x00"}, nil},
		"too long":    {"a", []string{strings.Repeat("b", memory.MaxQueryBytes+1)}, nil},
		"as many as may be": {
			"a", slices.Repeat([]string{"b"}, memory.MaxQuestions-1),
			append([]string{"a"}, slices.Repeat([]string{"b"}, memory.MaxQuestions-1)...),
		},
		"too many": {"a", slices.Repeat([]string{"b"}, memory.MaxQuestions), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := slices.Clone(tc.then)
			q, err := memory.Query{Text: tc.text, Then: tc.then}.Clean()
			if tc.want == nil {
				if memory.CodeOf(err) != memory.Invalid {
					t.Errorf("answers %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, q.Questions()); diff != "" {
				t.Error(diff)
			}
			if !slices.Equal(given, tc.then) {
				t.Errorf("the caller's own list became %q", tc.then)
			}
		})
	}
}
