package activities

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

const (
	idOne   = "00000000-0000-8000-8000-000000000001"
	idTwo   = "00000000-0000-8000-8000-000000000002"
	idThree = "00000000-0000-8000-8000-000000000003"
)

// archive is a ledger of a few memories, some of them merged into others.
type archive struct {
	Ledger
	survivors map[string]string
	details   []memory.Details
	asked     []memory.Filter
}

func (s *archive) Survivors(context.Context, []string) (map[string]string, error) {
	return s.survivors, nil
}

func (s *archive) Select(_ context.Context, f memory.Filter, _ string, _ int) ([]string, error) {
	s.asked = append(s.asked, f)
	return f.IDs, nil
}

func (s *archive) Get(context.Context, []string) ([]memory.Details, error) { return s.details, nil }

// An id whose text lives on in another memory is refused, unless that one is named too.
func TestSelectRefusesMergedIDs(t *testing.T) {
	t.Parallel()
	ledger := &archive{survivors: map[string]string{idOne: idTwo}}
	a := &Activities{Ledger: ledger, Redactor: noDigits{}}
	_, err := a.SelectMemories(t.Context(), SelectInput{Filter: memory.Filter{IDs: []string{idOne, idThree}}, Limit: 10})
	if memory.CodeOf(err) != memory.Conflict || !strings.Contains(err.Error(), idTwo) || !strings.Contains(memory.HintOf(err), "forget "+idTwo) {
		t.Errorf("a merged id: %v (%s)", err, memory.HintOf(err))
	}
	if len(ledger.asked) != 0 {
		t.Errorf("it went on to select %v", ledger.asked)
	}
	ids, err := a.SelectMemories(t.Context(), SelectInput{Filter: memory.Filter{IDs: []string{idOne, idTwo}}, Limit: 10})
	if err != nil || !slices.Equal(ids, []string{idOne, idTwo}) {
		t.Errorf("with its survivor: %v, %v", ids, err)
	}
}

// Stored texts were redacted, so a filter finds them only when it is redacted
// too.
func TestSelectRedactsItsFilter(t *testing.T) {
	t.Parallel()
	ledger := &archive{}
	a := &Activities{Ledger: ledger, Redactor: noDigits{}}
	if _, err := a.SelectMemories(t.Context(), SelectInput{Filter: memory.Filter{Project: "seven", Tags: []string{"seven"}}, Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if f := ledger.asked[0]; f.Project != "***" || !slices.Equal(f.Tags, []string{"***"}) {
		t.Errorf("asked for %+v", f)
	}
	if _, err := a.SelectMemories(t.Context(), SelectInput{Limit: 10}); memory.CodeOf(err) != memory.Invalid || len(ledger.asked) != 1 {
		t.Errorf("a filter that selects everything: %v, asked %d times", err, len(ledger.asked))
	}
}

// places is an index that holds ids by collection.
type places struct {
	Index
	held map[string][]string
}

func (p places) Missing(_ context.Context, collection string, ids []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(p.held[collection], id) }), nil
}

// A receipt says "verified" only when text and point are gone, in whatever collection.
func TestVerifyForgotten(t *testing.T) {
	t.Parallel()
	forgotten := memory.Details{Memory: memory.Memory{ID: idOne, State: memory.Forgotten}}
	withText, live := forgotten, forgotten
	withText.Text, live.State = "still here", memory.Live
	for name, tc := range map[string]struct {
		details []memory.Details
		held    map[string][]string
		want    bool
	}{
		"gone":                      {details: []memory.Details{forgotten}, want: true},
		"never there":               {want: true},
		"live":                      {details: []memory.Details{live}},
		"its text stayed":           {details: []memory.Details{withText}},
		"its point stayed":          {details: []memory.Details{forgotten}, held: map[string][]string{memory.Memories: {idOne}}},
		"a point in another place":  {details: []memory.Details{forgotten}, held: map[string][]string{memory.Episodes: {idTwo}}},
		"a point of something else": {details: []memory.Details{forgotten}, held: map[string][]string{memory.Memories: {idThree}}, want: true},
	} {
		a := &Activities{Ledger: &archive{details: tc.details}, Index: places{held: tc.held}}
		got, err := a.VerifyForgotten(t.Context(), SyncInput{IDs: []string{idOne, idTwo}})
		if err != nil || got != tc.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
