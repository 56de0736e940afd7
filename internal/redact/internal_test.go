package redact

import (
	"errors"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
)

// Every rule is compiled here because the program compiles one only when it is needed.
func TestEveryRuleCompiles(t *testing.T) {
	t.Parallel()
	rules, err := sharedRules()
	if err != nil {
		t.Fatal(err)
	}
	if len(rules.secrets) < 200 {
		t.Errorf("%d secret rules, expected gitleaks' two hundred and ours", len(rules.secrets))
	}
	for _, d := range append(rules.secrets, rules.privacy...) {
		if !validKind(d.kind) {
			t.Errorf("%q is no kind", d.kind)
		}
		d.compiled()
	}
}

func TestUnreadableRulesRefuseTheText(t *testing.T) {
	t.Parallel()
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.load = func() (*ruleset, error) { return nil, errors.New("broken") }
	for range 2 {
		if got := r.Redact("anything at all"); got.Text != "[redacted:unscanned]" {
			t.Errorf("got %q", got.Text)
		}
	}
	if r.Warm() == nil {
		t.Error("Warm says nothing")
	}
}

func BenchmarkParseRules(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseGitleaks(config.DefaultConfig); err != nil {
			b.Fatal(err)
		}
	}
}
