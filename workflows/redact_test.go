package workflows_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/purge"
	mnemetemporal "github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// newRule is a rule that comes after the memories.
type newRule string

func (w newRule) Redact(text string) (string, []string) {
	clean := strings.ReplaceAll(text, string(w), "[redacted:password:ab12]")
	if clean == text {
		return text, nil
	}
	return clean, []string{"password"}
}

func (s *stumbling) NoteRedacted(path string, page int, list []memory.Redacted) error {
	return s.fall("note redacted", s.Purges.NoteRedacted(path, page, list))
}

// redactedAnew redacts on a rig whose every step is done twice.
func redactedAnew(t *testing.T) recorded {
	t.Helper()
	r := newRig(t)
	const secret = "quagga77secret"
	s := &stumbling{fell: map[string]bool{}, Purges: &purge.Keeper{
		Home:      t.TempDir(),
		Histories: mnemetemporal.Histories{Client: r.temporal, Namespace: r.namespace, Queues: []string{workflows.TaskQueue(noLedger)}},
		Redaction: func(_, project string) (memory.Redaction, error) {
			return memory.Redaction{Base: newRule(secret), Project: project}, nil
		},
	}}
	r.acts.Purges = s
	r.work(t)
	id, other := r.store(t, "The vault opens with "+secret+" at noon."), r.store(t, "The tests need PostgreSQL.")
	_, err := r.Link(t.Context(), memory.Link{SourceID: id, TargetID: other, Type: memory.LinkBuildsOn})
	check(t, err)
	was, err := r.ledger.Get(t.Context(), []string{id})
	check(t, err)
	would, err := r.RedactEverything(t.Context(), memory.RedactInput{DryRun: true}, nil)
	if err != nil || would.Memories != 1 || len(would.Examples) != 1 || strings.Contains(would.Examples[0].Text, secret) || would.Purge.Versions == 0 {
		t.Errorf("a dry run says %+v, %+v, %v", would, would.Purge, err)
	}
	out, err := r.RedactEverything(t.Context(), memory.RedactInput{}, nil)
	check(t, err)
	if out.Memories != 1 || out.Kinds["password"] != 1 || !out.Purge.Clean() || out.Purge.Histories == 0 || len(s.fell) != 6 {
		t.Errorf("%+v, %+v, fell at %v", out, out.Purge, s.fell)
	}
	now, err := r.ledger.Get(t.Context(), []string{id})
	check(t, err)
	if len(now) != 1 || strings.Contains(now[0].Text, secret) || now[0].Confidence != was[0].Confidence || len(now[0].Links) != 1 {
		t.Errorf("the memory is %+v", now)
	}
	check(t, r.ledger.EachText(t.Context(), func(text memory.LedgerText) {
		if strings.Contains(text.Text, secret) {
			t.Errorf("%s %s holds it", text.Place, text.ID)
		}
	}))
	for _, h := range r.histories(t, out.WorkflowID) {
		for _, e := range h.GetEvents() {
			if strings.Contains(e.String(), secret) {
				t.Errorf("the redaction's own history holds it: %s", e)
			}
		}
	}
	if left, err := r.RedactEverything(t.Context(), memory.RedactInput{DryRun: true}, nil); err != nil || left.Total() != 0 {
		t.Errorf("a second dry run: %+v, %+v, %v", left, left.Purge, err)
	}
	return recorded{r, out.WorkflowID}
}

// TestRedactGoesOn has every step of a redaction fail after it was done.
func TestRedactGoesOn(t *testing.T) {
	t.Parallel()
	redactedAnew(t)
}
