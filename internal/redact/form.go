package redact

import "strings"

// A form is one alternative of a longer expression, with a text that it matches as a whole.
// Tables of forms are read more easily than one long expression, and a test holds each
// example against its expression.
type form struct{ expr, example string }

// oneOf joins forms to one expression.
func oneOf(forms ...[]form) string {
	var b strings.Builder
	b.WriteString("(?:")
	for _, table := range forms {
		for _, f := range table {
			if b.Len() > len("(?:") {
				b.WriteByte('|')
			}
			b.WriteString(f.expr)
		}
	}
	b.WriteByte(')')
	return b.String()
}
