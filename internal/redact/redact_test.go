package redact_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/redact/redacttest"
)

func builtin(t testing.TB) *redact.Redactor {
	t.Helper()
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNoGeneratedSecretSurvives(t *testing.T) {
	t.Parallel()
	r := builtin(t)
	prose := []string{"", "We moved the job to the new cluster. ", "Remember this:\n\n", "- item one\n- "}
	for seed := range uint64(5) {
		secrets := redacttest.Secrets(seed)
		if len(secrets) < 280 {
			t.Fatalf("%d kinds of secrets, want at least 280", len(secrets))
		}
		before := prose[seed%4]
		for _, s := range secrets {
			if strings.Count(s.Sentence, s.Value) != 1 {
				t.Fatalf("%s: the value must be in its sentence once", s.Kind)
			}
			text := before + s.Sentence + "\nIt worked after the restart."
			got := r.Redact(text)
			if strings.Contains(got.Text, s.Value) {
				t.Errorf("seed %d: %s survives: %q", seed, s.Kind, got.Text)
			}
			if again := r.Redact(got.Text); again.Text != got.Text {
				t.Errorf("%s: not the same twice:\n%q\n%q", s.Kind, got.Text, again.Text)
			}
			if len(got.Findings) == 0 {
				t.Errorf("%s: no finding", s.Kind)
			}
		}
	}
}

// Two secrets in a row are two: the first must not take the second's label.
func TestNoSecretHidesBehindItsLike(t *testing.T) {
	t.Parallel()
	r := builtin(t)
	for seed := range uint64(4) {
		second := redacttest.Secrets(seed + 1000)
		for i, s := range redacttest.Secrets(seed) {
			for _, text := range []string{
				s.Sentence + "\n" + second[i].Sentence,
				"Task: " + s.Sentence + "\n1. " + second[i].Sentence + "\n2. it worked",
			} {
				got := r.Redact(text).Text
				if len(s.Value) > 8 && (strings.Contains(got, s.Value) || strings.Contains(got, second[i].Value)) {
					t.Errorf("seed %d: %s survives: %q", seed, s.Kind, got)
				}
			}
		}
	}
}
