package memory

import (
	"fmt"
	"strings"
	"unicode"
)

// The tools that each keep one kind of memory make one complete text of their
// parts, because a memory must be understood alone. Every door that composes
// uses these, so that the same call is the same text everywhere.

// ProcedureText is the text of a procedure.
func ProcedureText(name string, steps []string) string { return numbered("Procedure", name, steps) }

// TrajectoryText is the text of a solved task.
func TrajectoryText(task string, steps []string) string { return numbered("Task", task, steps) }

// LearningText is the text of a lesson; context may be empty.
func LearningText(insight, context string) string { return joined(insight, "Context", context) }

// EpisodeText is the text of an event and its outcome.
func EpisodeText(event, outcome string) string { return joined(event, "Outcome", outcome) }

// numbered is a heading with numbered steps below it; a single step is
// already a text of its own.
func numbered(what, name string, steps []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", what, strings.TrimSpace(name))
	for i, step := range steps {
		if len(steps) == 1 {
			fmt.Fprintf(&b, "\n%s", strings.TrimSpace(step))
			continue
		}
		fmt.Fprintf(&b, "\n%d. %s", i+1, strings.TrimSpace(step))
	}
	return b.String()
}

// joined is a statement and, if given, a second one with its label.
func joined(first, label, second string) string {
	first, second = strings.TrimSpace(first), strings.TrimSpace(second)
	if second == "" {
		return first
	}
	return first + "\n" + label + ": " + second
}

// PlainText removes what no note needs and a terminal or a model may be misled
// by: control characters other than line break and tab, colour codes, marks
// that turn the direction of text around, and the invisible tag characters.
func PlainText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r),
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069,
			r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, s)
}
