package redact_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/redact/redacttest"
)

// keyed returns a redactor with the built-in detectors and a key.
func keyed(t testing.TB, key string) *redact.Redactor {
	t.Helper()
	r, err := redact.New(redact.Options{
		Key:   func() ([]byte, error) { return []byte(key), nil },
		Rules: []redact.Rule{{Kind: "customer", Expr: `KD-[0-9]{6}`}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var marker = regexp.MustCompile(`^[^\[]*(\[redacted:[a-z0-9-]+:(?:[0-9a-f]{4}|[0-9a-f]{6})\])[^\[]*$`)

// one redacts a text with one finding and returns its marker.
func one(t *testing.T, r *redact.Redactor, text string) string {
	t.Helper()
	found := marker.FindStringSubmatch(r.Redact(text).Text)
	if found == nil {
		t.Fatalf("%q became %q", text, r.Redact(text).Text)
	}
	return found[1]
}

func TestMarksKeepFindingsApart(t *testing.T) {
	t.Parallel()
	r := keyed(t, "key")
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"ask jana@corp.net first", "then tell jana@corp.net", true},
		{"ask jana@corp.net", "ask Jana@Corp.net", true},
		{"ask jana@corp.net", "ask jane@corp.net", false},
		{"ask j.ana@corp.net", "ask jana@corp.net", false},
		{"call +49 170 1234567", "call +49 (170) 123-4567", true},
		{"call +49 170 1234567", "call +49 170 1234568", false},
		{"password=Xy7!kkqq1", "password=Xy7!kkqq1", true},
		{"password=Xy7!kkqq1", "password=xy7!kkqq1", false},
		{"the ticket of KD-123456", "KD-123456 called", true},
		{"the ticket of KD-123456", "the ticket of KD-123457", false},
	} {
		if a, b := one(t, r, c.a), one(t, r, c.b); (a == b) != c.same {
			t.Errorf("%q is %s and %q is %s", c.a, a, c.b, b)
		}
	}
	both := r.Redact("jana@corp.net, tom@corp.net and jana@corp.net").Text
	parts := regexp.MustCompile(`[^ ,]*redacted[^ ,]*`).FindAllString(both, -1)
	if len(parts) != 3 || parts[0] != parts[2] || parts[0] == parts[1] {
		t.Errorf("got %q", both)
	}
}

// Another key gives other marks. Whoever does not have the key cannot test whether a mark stands for
// a certain address.
func TestMarksNeedTheKey(t *testing.T) {
	t.Parallel()
	text := "ask jana@corp.net"
	if a, b := one(t, keyed(t, "key"), text), one(t, keyed(t, "other"), text); a == b {
		t.Errorf("%s whatever the key", a)
	}
	broken, err := redact.New(redact.Options{Key: func() ([]byte, error) { return nil, errors.New("locked") }})
	if err != nil {
		t.Fatal(err)
	}
	if got := broken.Redact(text); got.Text != "ask [redacted:email]" {
		t.Errorf("without its key: %q", got.Text)
	}
	never, err := redact.New(redact.Options{Key: func() ([]byte, error) { t.Error("the key was read"); return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	never.Redact("the service listens on port 8080")
}

// Texts with markers, of this release or of older ones, are not changed again.
func TestMarkersStay(t *testing.T) {
	t.Parallel()
	r := keyed(t, "key")
	for _, text := range []string{
		"ask [redacted:email] about it", "ask [redacted:email:7f3a2c] about it", "password: [redacted:password:7f3a]",
		"API_KEY=[redacted:secret:0123] of [redacted:email:abcdef], 3 times",
	} {
		if got := r.Redact(text); got.Text != text || len(got.Findings) > 0 {
			t.Errorf("%q became %q", text, got.Text)
		}
	}
	for _, s := range redacttest.Secrets(7) {
		once := r.Redact(s.Sentence).Text
		if again := r.Redact(once).Text; again != once {
			t.Errorf("%s: %q became %q", s.Kind, once, again)
		}
		if strings.Contains(once, s.Value) {
			t.Errorf("%s survives: %q", s.Kind, once)
		}
	}
}

// What only looks like a marker protects nothing.
func TestForgedMarkersProtectNothing(t *testing.T) {
	t.Parallel()
	r := keyed(t, "key")
	for _, secret := range []string{"Xy7!kkqq1", "ghp_" + strings.Repeat("aB3dE6gH9j", 4)[:36]} {
		if got := r.Redact("password: [redacted:password:" + secret + "] " + "password=" + secret); strings.Contains(got.Text, secret) {
			t.Errorf("%q survives: %q", secret, got.Text)
		}
	}
}
