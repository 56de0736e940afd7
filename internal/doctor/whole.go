package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// index says whether everything that is remembered can be found.
func (o Options) index(ctx context.Context) (string, error) {
	c, err := o.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Stats(ctx)
	if err != nil {
		return "", err
	}
	live := 0
	for _, n := range s.Live {
		live += n
	}
	detail := fmt.Sprintf("%s in %s", count(live, "memory", "memories"), count(s.Projects, "project", "projects"))
	if s.Model != "" && o.Daemon.Model != "" && s.Model != o.Daemon.Model && !replaced(s, o.Daemon.Model) {
		return detail, memory.Errorf(memory.Refused, `"mneme rebuild" takes the new model up, or set MNEME_EMBED_MODEL=`+s.Model,
			"the memories were embedded with %s, the model in use is %s", s.Model, o.Daemon.Model)
	}
	state, err := c.IndexState(ctx)
	if err != nil {
		return detail, err
	}
	if err := unequal(state.Sum()); err != nil {
		return detail, err
	}
	if s.Unindexed > 0 {
		return detail, Warning{memory.Errorf(memory.Conflict, `wait a moment; if it stays so, "mneme rebuild" writes them`,
			"%s not in the index yet", count(s.Unindexed, "change is", "changes are"))}
	}
	detail += ", all in the index"
	if s.Generations != nil && s.Generations.Beside != nil {
		detail += "; " + s.Generations.BesideText()
	}
	return detail, nil
}

// replaced reports whether "mneme reembed" put another model in the place of one.
func replaced(s memory.Stats, model string) bool {
	return s.Generations != nil && slices.Contains(s.Generations.Replaced, model)
}

// unequal says what the index lacks, or holds otherwise than the ledger; nil for nothing.
func unequal(sum memory.IndexCollection) error {
	switch {
	case sum.Lost > 0:
		return Warning{memory.Errorf(memory.Conflict,
			`they are written again by themselves, and recall says so meanwhile; if it stays so, run "mneme rebuild"`,
			"the index has lost %d of them", sum.Lost)}
	case sum.Extra > 0:
		return Warning{memory.Errorf(memory.Conflict, `"mneme rebuild" deletes them`,
			"%s in the search index that the database does not know", count(sum.Extra, "point is", "points are"))}
	case sum.Differ > 0:
		return Warning{memory.Errorf(memory.Conflict, `"mneme rebuild" mends all that differ`,
			"%d of %d that were looked at are not in the search index as the database has them", sum.Differ, sum.Sampled)}
	}
	return nil
}

// waiting tells of accepted changes that a part keeps from being made.
func (o Options) waiting(ctx context.Context) (string, error) {
	c, err := o.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	all, err := c.Waiting(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "no accepted change waits", nil
	}
	lines := make([]string, len(all))
	for i, w := range all {
		lines[i] = w.String()
	}
	return "", Warning{memory.Errorf(memory.Unavailable, all[0].Hint, "%s", strings.Join(lines, "; "))}
}

// tidying tells of what organize does not do without a yes.
func (o Options) tidying(ctx context.Context) (string, error) {
	c, err := o.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	held, err := c.Held(ctx)
	if err != nil {
		return "", err
	}
	if text, hint := memory.HeldText(held); text != "" {
		return "", Warning{memory.Errorf(memory.Conflict, hint, "%s", text)}
	}
	return "nothing waits for a yes", nil
}

// recall goes the whole way. The answer is neither counted nor noted: nobody asked for it.
func (o Options) recall(ctx context.Context) (string, error) {
	c, err := o.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	r, err := c.Recall(ctx, memory.Query{Text: "mneme doctor", Limit: 1, Source: "doctor", Trial: true})
	if err != nil {
		return "", err
	}
	if r.Degraded != "" {
		return "", Warning{memory.Errorf(memory.Unavailable, "see the part above that fails", "%s", r.Degraded)}
	}
	return fmt.Sprintf("answered in %.1f ms", r.TookMillis["embed"]+r.TookMillis["search"]+r.TookMillis["rank"]), nil
}
