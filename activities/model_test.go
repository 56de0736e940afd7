package activities

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// counted is a ledger that only counts.
type counted struct {
	Ledger
	stats memory.Stats
	err   error
	asked int

	missing int // in the index, because they were never written
	lost    int // by the index
	looked  int // how often that was asked

	gone      []string
	askedGone int
}

func (c *counted) Beside(ctx context.Context, _ []string) ([]string, []memory.Link, error) {
	c.askedGone++
	if errors.Is(c.err, context.DeadlineExceeded) {
		<-ctx.Done()
	}
	return c.gone, nil, c.err
}

func (c *counted) Forget(context.Context, memory.Op, []string, bool) (int, error) { return 0, c.err }

func (c *counted) Stats(context.Context) (memory.Stats, error) { c.asked++; return c.stats, c.err }

func (c *counted) Unfindable(_ context.Context, limit int) (unwritten, lost int, err error) {
	c.looked++
	return min(limit, c.missing), c.lost, c.err
}

// named is a model that is only asked for its name.
type named struct {
	Embedder
	name string
}

func (n named) Model() string { return n.name }

func TestOtherModel(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stats memory.Stats
		err   error
		want  string
		asked int // for two queries
	}{
		"same":           {memory.Stats{Model: "m", Dimension: 3}, nil, "", 1},
		"nothing stored": {memory.Stats{}, nil, "", 2},
		"ledger is down": {memory.Stats{}, errors.New("down"), "", 2},
		"another name":   {memory.Stats{Model: "old", Dimension: 3}, nil, "embedded with old (3 dimensions), not with m (3)", 2},
		"another length": {memory.Stats{Model: "m", Dimension: 8}, nil, "embedded with m (8 dimensions), not with m (3)", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ledger := &counted{stats: tc.stats, err: tc.err}
			a := &Activities{Ledger: ledger, Embedder: named{name: "m"}}
			for range 2 {
				got := a.otherModel(t.Context(), make(memory.Vector, 3))
				if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
					t.Errorf("says %q, want %q", got, tc.want)
				}
			}
			if ledger.asked != tc.asked {
				t.Errorf("the ledger was asked %d times, want %d", ledger.asked, tc.asked)
			}
		})
	}
}
