package workflows_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/internal/purge"
	mnemetemporal "github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// stumbling fails the first time at every step of a purge, after it was done: as
// if the worker had been killed before it could say so.
type stumbling struct {
	activities.Purges

	fell map[string]bool
}

func (s *stumbling) fall(step string, err error) error {
	if err != nil || s.fell[step] {
		return err
	}
	s.fell[step] = true
	return memory.Down("worker", "", os.ErrProcessDone)
}

func (s *stumbling) Note(id, user string, page int, ids []string, texts []memory.PurgedText) (string, error) {
	path, err := s.Purges.Note(id, user, page, ids, texts)
	return path, s.fall("note", err)
}

func (s *stumbling) Mark(ctx context.Context, path string, each func(context.Context, func(memory.LedgerText)) error) error {
	return s.fall("mark", s.Purges.Mark(ctx, path, each))
}

func (s *stumbling) CleanLedger(ctx context.Context, path, key string, sweeps memory.Sweeps, progress func()) error {
	return s.fall("clean ledger", s.Purges.CleanLedger(ctx, path, key, sweeps, progress))
}

func (s *stumbling) Clean(ctx context.Context, path, key string) error {
	return s.fall("clean", s.Purges.Clean(ctx, path, key))
}

func (s *stumbling) Forget(ctx context.Context, path, key string, progress func()) (int, []string, error) {
	n, open, err := s.Purges.Forget(ctx, path, key, progress)
	return n, open, s.fall("forget", err)
}

func (s *stumbling) Compact(ctx context.Context, path string, rewrite func(context.Context, bool) ([]memory.Unreached, error)) error {
	return s.fall("compact", s.Purges.Compact(ctx, path, rewrite))
}

func purged(t *testing.T) recorded {
	out, _ := purgedOnce(t)
	return out
}

// verified looks at a receipt, and takes away again.
func verified(t *testing.T) recorded {
	out, receipt := purgedOnce(t)
	run, err := out.rig.temporal.ExecuteWorkflow(t.Context(), startOptions("verify/test"), workflows.VerifyPurge, memory.VerifyInput{Receipt: receipt, Again: true})
	check(t, err)
	check(t, run.Get(t.Context(), nil))
	return recorded{out.rig, "verify/test"}
}

// purgedOnce purges on a rig whose every step is done twice. It returns the receipt too.
func purgedOnce(t *testing.T) (recorded, string) {
	t.Helper()
	r := newRig(t)
	home := t.TempDir()
	s := &stumbling{fell: map[string]bool{}, Purges: &purge.Keeper{
		Home: home, Histories: mnemetemporal.Histories{Client: r.temporal, Namespace: r.namespace, Queues: []string{workflows.TaskQueue(noLedger)}},
	}}
	r.acts.Purges = s
	r.work(t)
	const text = "The zanzibar gateway speaks only on tuesdays."
	id, other := r.store(t, text), r.store(t, "The tests need PostgreSQL.")
	_, err := r.Update(t.Context(), memory.UpdateInput{ID: id, Text: ptr("The zanzibar gateway speaks only on mondays.")})
	check(t, err)
	out, err := r.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: []string{id}}, Purge: true})
	check(t, err)
	if out.Count != 1 || !out.Verified || out.Purge == nil || out.Purge.Texts != 2 || out.Purge.Histories < 2 || len(s.fell) != 6 {
		t.Errorf("%+v, %+v, fell at %v", out, out.Purge, s.fell)
	}
	if _, err := r.ledger.Get(t.Context(), []string{other}); err != nil {
		t.Error(err)
	}
	for _, h := range r.histories(t, out.WorkflowID) {
		for _, e := range h.GetEvents() {
			if strings.Contains(e.String(), "zanzibar") {
				t.Errorf("the purge's own history holds the text: %s", e)
			}
		}
	}
	receipt, err := os.ReadFile(out.Purge.Receipt)
	if err != nil || bytes.Contains(receipt, []byte("zanzibar")) || bytes.Contains(receipt, []byte(id)) {
		t.Errorf("the receipt tells too much, or is not there: %v", err)
	}
	r.store(t, text)
	report, err := r.VerifyPurge(t.Context(), memory.VerifyInput{Receipt: out.Purge.Receipt}, nil)
	if err != nil || report.Clean() || !strings.HasPrefix(report.Found[0].Place, "PostgreSQL") {
		t.Errorf("stored again: %+v, %v", report, err)
	}
	return recorded{r, out.WorkflowID}, out.Purge.Receipt
}

// TestPurgeGoesOn has every step of a purge fail after it was done.
func TestPurgeGoesOn(t *testing.T) {
	t.Parallel()
	purged(t)
}
