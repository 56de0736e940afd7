package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/redact/redacttest"
)

func FuzzRedact(f *testing.F) {
	for _, s := range redacttest.Secrets(1) {
		f.Add(s.Sentence)
	}
	for _, s := range innocent() {
		f.Add(s)
	}
	f.Add("password: password: password: hunter2")
	f.Add("[redacted:password]: [redacted:email] a@b.co")
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Add("jana@corp.net [redacted:email:1f2e3d] [redacted:email] [redacted:email:1f2e3dx]")
	r := keyed(f, "key")
	f.Fuzz(func(t *testing.T, text string) {
		once := r.Redact(text)
		if utf8.ValidString(text) && !utf8.ValidString(once.Text) {
			t.Errorf("%q became invalid UTF-8: %q", text, once.Text)
		}
		if twice := r.Redact(once.Text); twice.Text != once.Text {
			t.Errorf("not the same twice:\n%q\n%q\n%q", text, once.Text, twice.Text)
		}
		if (len(once.Findings) == 0) != (once.Text == text) {
			t.Errorf("findings %v, but %q became %q", once.Findings, text, once.Text)
		}
	})
}

// Whatever stands around a secret, it does not survive.
func TestSecretsInProse(t *testing.T) {
	t.Parallel()
	r := builtin(t)
	rapid.Check(t, func(t *rapid.T) {
		secrets := redacttest.Secrets(rapid.Uint64Range(0, 1<<20).Draw(t, "seed"))
		s := rapid.SampledFrom(secrets).Draw(t, "secret")
		sentence := rapid.SampledFrom(innocent())
		text := sentence.Draw(t, "before") + ".\n" + s.Sentence + "\n" + sentence.Draw(t, "after")
		if got := r.Redact(text); strings.Contains(got.Text, s.Value) {
			t.Fatalf("%s survives: %q", s.Kind, got.Text)
		}
	})
}

func TestRedactAll(t *testing.T) {
	t.Parallel()
	tag, project := "mail:jana@corp.net", "password=Xy7!kkqq1"
	found := builtin(t).RedactAll(&tag, nil, &project)
	if tag != "mail:[redacted:email]" || project != "password=[redacted:password]" {
		t.Errorf("tag %q, project %q", tag, project)
	}
	if len(found) != 2 || found[0] != (redact.Finding{Kind: redact.KindEmail, Count: 1}) {
		t.Errorf("findings %v", found)
	}
}

func TestAllowAndDisable(t *testing.T) {
	t.Parallel()
	r, err := redact.New(redact.Options{Allow: []string{"Team@corp.net"}, Disable: []redact.Kind{redact.KindPhone}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "team@corp.net, +49 170 1234567, [redacted:email]"
	if got := r.Redact("team@corp.net, +49 170 1234567, jana@corp.net"); got.Text != want {
		t.Errorf("got %q", got.Text)
	}
}

// BenchmarkRedact shows that the time for a text grows as its length does.
func BenchmarkRedact(b *testing.B) {
	r := builtin(b)
	sentence := strings.Join(innocent(), "\n") + "\n"
	for name, n := range map[string]int{"1KB": 1 << 10, "32KB": 32 << 10, "1MB": 1 << 20} {
		text := strings.Repeat(sentence, n/len(sentence)+1)[:n]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				r.Redact(text)
			}
		})
	}
}
