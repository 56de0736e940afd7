package redact

import (
	"regexp"
	"testing"
)

// TestExamplesOfForms holds each alternative against the text that it stands for.
func TestExamplesOfForms(t *testing.T) {
	t.Parallel()
	for name, table := range map[string][]form{
		"passwords": passwordWords(), "logins": loginWords(), "keys": keyWords(), "is": isWords(),
		"tokens": tokenPrefixes(), "phones": phoneWords(), "earnings": earningWords(), "illnesses": illnesses(),
		"qualifiers": qualifiers(), "conditions": conditionNames(), "having": havingWords(), "drugs": drugNames(),
	} {
		for _, f := range table {
			if !regexp.MustCompile(`(?i)^(?:` + f.expr + `)$`).MatchString(f.example) {
				t.Errorf("%s: %q does not match %s", name, f.example, f.expr)
			}
		}
	}
}

func TestShadow(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"plain":                     "plain",
		"pass\u200bword":            "password",
		"pa\u00adss\ufe0fword":      "password",
		`\"key\": \"v\"`:            `"key": "v"`,
		`C:\temp\new`:               `C:\temp\new`,
		"a&quot;b&#58;c&#x3D;d&x;":  `a"b:c=d&x;`,
		"key%3Dvalue%zz 100%":       "key=value%zz 100%",
		"ｋｅｙ＝１":                     "key=1",
		"no\u00a0break":             "no break",
		"bell\a and tab\t":          "bell and tab\t",
		"\xff broken \\u0041 \\u00": "\xff broken A \\u00",
	} {
		s, differs := shadowOf(raw)
		if got := s.text; differs != (raw != want) || differs && got != want {
			t.Errorf("%q became %q (differs: %v), want %q", raw, got, differs, want)
		}
		for i := range s.from {
			if s.from[i] >= s.to[i] || i > 0 && s.from[i] < s.from[i-1] {
				t.Fatalf("%q: byte %d of the shadow stands for [%d, %d)", raw, i, s.from[i], s.to[i])
			}
		}
	}
}
