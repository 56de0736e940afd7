package memory_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

// marking replaces each "a@b" with a marker that is longer than it.
type marking struct{}

func (marking) Redact(text string) (string, []string) {
	clean := strings.ReplaceAll(text, "a@b", "[redacted:email:1f2e3d]")
	clean = strings.ReplaceAll(clean, "c@d", "[redacted:email:445566]")
	if clean == text {
		return text, nil
	}
	return clean, []string{"email"}
}

// Redaction makes no valid name invalid, keeps different names different, and changes
// nothing the second time.
func TestRedactedNamesStayValid(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"a@b", "c@d", "/srv/", "team ", "é", "x"})
	rapid.Check(t, func(t *rapid.T) {
		one := "n" + strings.Join(rapid.SliceOfN(part, 1, 10).Draw(t, "one"), "")
		other := "n" + strings.Join(rapid.SliceOfN(part, 1, 10).Draw(t, "other"), "")
		in := memory.StoreInput{Text: "t", Project: one, Session: one, Tags: []string{one, other}}
		got, err := memory.Admit(marking{}, in)
		if err != nil {
			t.Fatalf("%q and %q: %v", one, other, err)
		}
		if want := map[bool]int{true: 1, false: 2}[strings.TrimSpace(one) == strings.TrimSpace(other)]; len(got.Tags) != want {
			t.Fatalf("%q and %q became %q", one, other, got.Tags)
		}
		again, err := memory.Admit(marking{}, got)
		if err != nil || again.Project != got.Project || !slices.Equal(again.Tags, got.Tags) {
			t.Fatalf("%v became %v (%v)", got, again, err)
		}
	})
}

func TestRedactedLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a@b ", memory.MaxNameBytes/4)
	name := memory.RedactName(marking{}, long)
	if !strings.HasPrefix(name, "[redacted:name:") || memory.RedactName(marking{}, name) != name {
		t.Errorf("%q", name)
	}
	if other := memory.RedactName(marking{}, long[4:]+"c@d "); other == name {
		t.Errorf("two names became one: %q", name)
	}
	if err := memory.CheckName("project", memory.RedactName(marking{}, long+"a@b")); err == nil {
		t.Error("a name that was too long is taken")
	}
	tags := memory.RedactTags(marking{}, []string{long[:memory.MaxTagBytes]})
	if len(tags[0]) > memory.MaxTagBytes {
		t.Errorf("%q", tags[0])
	}
}

// A text that is short enough is so after redaction, and one that was not is refused.
func TestRedactedLongText(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", memory.MaxTextBytes-30) + strings.Repeat("a@b ", 7) + "."
	if _, err := memory.Admit(marking{}, memory.StoreInput{Text: full, Project: "p"}); err != nil {
		t.Error(err)
	}
	if _, err := memory.Admit(marking{}, memory.StoreInput{Text: full + strings.Repeat("x", 30), Project: "p"}); err == nil {
		t.Error("a text that was too long is taken")
	}
}

// What stood at a marker without a mark is not known: it equals only itself.
func TestBareMarkers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Ask [redacted:email] about the invoices.", "ask [redacted:email] about the invoice", false},
		{"Ask [redacted:email:1f2e3d] about the invoices.", "ask [redacted:email:1f2e3d] about the invoice", true},
		{"Ask [redacted:email:1f2e3d] about the invoices.", "Ask [redacted:email:1f2e3e] about the invoices.", false},
		{"Ask [redacted:email] about the invoices.", "Ask [redacted:email:1f2e3d] about the invoices.", false},
		{"Ask [redacted:email] about the invoices.", "Ask [redacted:email] about  the invoices.", true},
	} {
		if got := memory.SameFact(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
