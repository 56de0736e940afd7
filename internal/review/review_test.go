package review_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mneme-memory/mneme/internal/review"
	"github.com/mneme-memory/mneme/memory"
)

var now = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

func id(n int) string { return fmt.Sprintf("0e5a6a4e-0000-8000-8000-%012x", n) }

// ledger is a client that holds memories, newest first, and notes what is done.
type ledger struct {
	memories []memory.Memory
	updates  []memory.UpdateInput
	forgot   []string
	merged   [][]string
}

func (l *ledger) List(_ context.Context, p memory.Page) ([]memory.Memory, error) {
	var out []memory.Memory
	past := p.After == ""
	for _, m := range l.memories {
		if p.Nearly && !m.Announced() || p.Since != nil && m.CreatedAt.Before(*p.Since) {
			continue
		}
		if past && (p.Project == "" || p.Project == m.Project) && len(out) < p.Limit {
			out = append(out, m)
		}
		past = past || m.ID == p.After
	}
	return out, nil
}

func (l *ledger) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	var out []memory.Details
	for _, m := range l.memories {
		if slices.Contains(ids, m.ID) {
			out = append(out, memory.Details{Memory: m})
		}
	}
	return out, nil
}

func (l *ledger) Update(_ context.Context, in memory.UpdateInput) (memory.Memory, error) {
	if in.ID == id(99) {
		return memory.Memory{}, errors.New("gone")
	}
	l.updates = append(l.updates, in)
	return memory.Memory{ID: in.ID}, nil
}

func (l *ledger) Merge(_ context.Context, ids []string) (memory.MergedGroup, error) {
	l.merged = append(l.merged, ids)
	return memory.MergedGroup{SurvivorID: ids[1]}, nil
}

func (l *ledger) Forget(_ context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	l.forgot = append(l.forgot, in.Filter.IDs...)
	return memory.ForgetReceipt{}, nil
}

// many holds n memories of two projects and _global, one an hour.
func many(n int) *ledger {
	l := &ledger{}
	for i := range n {
		project := []string{"a", "b", memory.Global}[i%3]
		l.memories = append(l.memories, memory.Memory{ID: id(i), Project: project, State: memory.Live, CreatedAt: now.Add(-time.Duration(i) * time.Hour)})
	}
	return l
}

func ids(items []review.Item) []string {
	out := []string{}
	for _, it := range items {
		out = append(out, it.ID)
	}
	return out
}

func TestLoadSeesTheProjectAndGlobalOnly(t *testing.T) {
	t.Parallel()
	items, err := review.Load(t.Context(), many(12), review.Options{Project: "a", Since: now.AddDate(0, 0, -1), Limit: 50})
	require.NoError(t, err)
	assert.Equal(t, []string{id(0), id(2), id(3), id(5), id(6), id(8), id(9), id(11)}, ids(items), "newest first")
}

func TestLoadPagesPastWhatIsDecided(t *testing.T) {
	t.Parallel()
	decided := func(s string) bool { return s < id(200) }
	items, err := review.Load(t.Context(), many(260), review.Options{Since: now.AddDate(-1, 0, 0), Limit: 10, Decided: decided})
	require.NoError(t, err)
	assert.Len(t, items, 10)
	assert.Equal(t, id(200), items[0].ID)
}

func TestLoadPutsSuggestionsFirst(t *testing.T) {
	t.Parallel()
	l := many(30)
	l.memories[28].State = memory.Forgotten
	suggested := []review.Suggestion{{id(27), "old"}, {id(28), "gone"}, {id(25), "of another project"}, {id(3), "new too"}}
	items, err := review.Load(t.Context(), l, review.Options{Project: "a", Since: now.Add(-4 * time.Hour), Limit: 50, Suggested: suggested})
	require.NoError(t, err)
	assert.Equal(t, []string{id(27), id(3), id(0), id(2)}, ids(items), "each once; another project's is not shown")
	assert.Equal(t, "old", items[0].Suggestion)
	_, err = review.Load(t.Context(), l, review.Options{})
	assert.Equal(t, memory.Invalid, memory.CodeOf(err))
}

// TestLoadNamesWhatIsNearlyPruned also shows what was decided on long ago, and
// each memory once.
func TestLoadNamesWhatIsNearlyPruned(t *testing.T) {
	t.Parallel()
	l := many(30)
	for _, n := range []int{2, 27, 28} { // the last is of another project
		l.memories[n].AnnouncedAt, l.memories[n].LastAccessed = &now, now.AddDate(0, 0, -80)
	}
	o := review.Options{Project: "a", Since: now.Add(-4 * time.Hour), Limit: 50, Decided: func(s string) bool { return s == id(27) }}
	items, err := review.Load(t.Context(), l, o)
	require.NoError(t, err)
	assert.Equal(t, []string{id(27), id(2), id(0), id(3)}, ids(items))
	assert.Equal(t, "not used since 2026-08-14 and faded, so it will be pruned: keep it?", items[0].Suggestion)
}

func TestApplyGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	l := many(3)
	outcomes, err := review.Apply(t.Context(), l, "me", []review.Decision{
		{Action: review.Keep, ID: id(99)},
		{Action: review.Pin, ID: id(1)},
		{Action: review.Edit, ID: id(2), Text: "new"},
		{Action: review.Forget, ID: id(3)},
		{Action: review.Merge, ID: id(4), With: []string{id(5)}},
		{Action: "burn", ID: id(6)},
	})
	require.Error(t, err)
	require.Len(t, outcomes, 6)
	assert.False(t, outcomes[0].Done())
	assert.Equal(t, "gone", outcomes[0].Error)
	assert.False(t, outcomes[5].Done())
	require.Len(t, l.updates, 2)
	assert.True(t, l.updates[0].Keep && *l.updates[0].Pinned)
	assert.Equal(t, "new", *l.updates[1].Text)
	assert.Equal(t, []string{id(3)}, l.forgot)
	assert.Equal(t, [][]string{{id(4), id(5)}}, l.merged)
	assert.Equal(t, id(5), outcomes[4].ResultID)
}

func TestStateRemembersWhatWasDone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s, err := review.LoadState(home)
	require.NoError(t, err)
	outcomes, _ := review.Apply(t.Context(), many(0), "me", []review.Decision{{Action: review.Keep, ID: id(1)}, {Action: review.Keep, ID: id(99)}})
	require.NoError(t, s.Add(outcomes, now))
	s, err = review.LoadState(home)
	require.NoError(t, err)
	assert.True(t, s.Decided(id(1)))
	assert.False(t, s.Decided(id(99)), "it failed: it is asked again")
	info, err := os.Stat(filepath.Join(home, "review.json"))
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())

	require.NoError(t, s.Add(nil, now.AddDate(1, 0, 0)))
	assert.False(t, s.Decided(id(1)), "a year later nobody asks for it")
	require.NoError(t, os.WriteFile(filepath.Join(home, "review.json"), []byte("{"), 0o600))
	s, err = review.LoadState(home)
	require.NoError(t, err, "half a file is as good as none")
	assert.False(t, s.Decided(id(1)))
}
