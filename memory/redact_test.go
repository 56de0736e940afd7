package memory_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/memory"
)

// hiding takes one word for a secret.
type hiding struct{}

func (hiding) Redact(text string) (string, []string) {
	clean := strings.ReplaceAll(text, "hunter2", "[gone]")
	if clean == text {
		return text, nil
	}
	return clean, []string{"password"}
}

const secret = "it is hunter2"

func TestAdmitStore(t *testing.T) {
	t.Parallel()
	given := memory.StoreInput{
		Text: "  " + secret, Project: secret, Session: secret, Tags: []string{secret, "Go"}, Redacted: []string{"token"},
	}
	got, err := memory.Admit(hiding{}, given)
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	want := memory.StoreInput{
		Text: "it is [gone]", Project: "it is [gone]", Session: "it is [gone]", Tags: []string{"go", "it is [gone]"},
		Type: memory.TypeFact, Collection: memory.CollectionOf(memory.TypeFact), Importance: &half,
		Redacted: []string{"password", "token"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if given.Tags[0] != secret {
		t.Error("the caller's tags were changed")
	}
	again, err := memory.Admit(hiding{}, got)
	if err != nil || !cmp.Equal(got, again) {
		t.Errorf("admitted twice it is another one (%v):\n%s", err, cmp.Diff(got, again))
	}
}

func TestAdmitQuery(t *testing.T) {
	t.Parallel()
	got, err := memory.Admit(hiding{}, memory.Query{
		Text: secret, Then: []string{secret}, Project: secret, Tags: []string{secret}, Session: secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	const clean = "it is [gone]"
	want := memory.Query{
		Text: clean, Then: []string{clean}, Project: clean, Tags: []string{clean}, Session: clean,
		Limit: memory.DefaultLimit, Collections: memory.Collections(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An admitted input has no secrets in any kept field, and a wrong input is
// refused.
func TestAdmit(t *testing.T) {
	t.Parallel()
	text, tags := secret, []string{secret}
	update, err := memory.Admit(hiding{}, memory.UpdateInput{ID: memory.NewID("p", memory.Memories, "t"), Text: &text, Tags: &tags})
	if err != nil || *update.Text != "it is [gone]" || (*update.Tags)[0] != "it is [gone]" || text != secret || tags[0] != secret {
		t.Errorf("update: %v, %v, of %q and %v", update, err, text, tags)
	}
	credit, err := memory.Admit(hiding{}, memory.CreditInput{
		IDs: []string{memory.NewID("p", memory.Memories, "t")}, Project: secret, Session: secret, Reason: secret,
	})
	if err != nil || strings.Contains(credit.Project+credit.Session+credit.Reason, "hunter2") {
		t.Errorf("credit: %+v, %v", credit, err)
	}
	filter, err := memory.Admit(hiding{}, memory.Filter{Project: secret, Tags: []string{secret}})
	if err != nil || filter.Project != "it is [gone]" || filter.Tags[0] != "it is [gone]" {
		t.Errorf("filter: %+v, %v", filter, err)
	}
	if _, err := memory.Admit(hiding{}, memory.StoreInput{Text: " "}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an empty text: %v", err)
	}
	if _, err := memory.Admit(hiding{}, memory.Filter{}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an empty filter: %v", err)
	}
}

func TestAdmitEvents(t *testing.T) {
	t.Parallel()
	given := []memory.Event{{
		ID: secret, Action: "inject", Project: secret, Session: secret,
		Details: map[string]any{secret: []any{secret, 1.5, map[string]any{"a": secret}}},
	}}
	got, err := memory.AdmitEvents(hiding{}, given)
	if err != nil {
		t.Fatal(err)
	}
	want := []memory.Event{{
		ID: memory.ContentHash(secret), Action: "inject", Project: "it is [gone]", Session: "it is [gone]",
		Details: map[string]any{"it is [gone]": []any{"it is [gone]", 1.5, map[string]any{"a": "it is [gone]"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := memory.AdmitEvents(hiding{}, []memory.Event{{Action: "inject"}}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an event without an id: %v", err)
	}
}
