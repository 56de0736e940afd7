package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// planner reads the plans of dry runs, and ends runs.
type planner interface {
	Plan(ctx context.Context, q memory.PlanQuery) (memory.PlanPage, error)
	CancelOrganize(ctx context.Context, id string) ([]string, error)
}

// readWholePlan reads all steps of a plan, page by page.
func readWholePlan(ctx context.Context, c planner, id string) (planFile, error) {
	p := planFile{Format: planFormat, Steps: []memory.PlannedStep{}}
	for after := 0; ; {
		page, err := c.Plan(ctx, memory.PlanQuery{ID: id, After: after})
		if err != nil {
			return p, err
		}
		p.Head, p.Steps = page.Head, append(p.Steps, page.Steps...)
		if page.Next <= after {
			return p, nil
		}
		after = page.Next
	}
}

// The headings of a plan's parts, in the order in which they are shown.
var planParts = []struct{ action, one, many string }{
	{memory.ActionMerge, "merge", "merges: texts that say the same become one"},
	{memory.ActionPromote, "promotion", "promotions: short-term memories that stay for good"},
	{memory.ActionExpire, "expiry", "expired: short-term memories whose time is over"},
	{memory.ActionPrune, "prune", "pruned: not used, not trusted, and announced before"},
	{memory.ActionAnnounce, "announcement", "nearly pruned: pruned in a week at the earliest, unless they are used"},
	{memory.ActionDecay, "decay", "decay: confidence of what was not used"},
}

// showPlan prints the steps of a plan with their texts.
func (a *app) showPlan(p planFile) error {
	for _, part := range planParts {
		var steps []memory.PlannedStep
		for _, s := range p.Steps {
			if s.Action == part.action {
				steps = append(steps, s)
			}
		}
		if len(steps) == 0 {
			continue
		}
		if err := a.printf("\n%s\n", a.paint().bold(part.many)); err != nil {
			return err
		}
		if err := a.showSteps(part.action, steps); err != nil {
			return err
		}
	}
	return a.showLeftOut(p.Head.LeftOut)
}

func (a *app) showSteps(action string, steps []memory.PlannedStep) error {
	if action == memory.ActionDecay {
		return a.showDecay(steps)
	}
	for _, s := range steps {
		title := fmt.Sprintf("%d. %s, %s", s.Number, printable(s.Project), s.Collection)
		if s.Why != "" {
			title += ": " + printable(s.Why)
		}
		if err := a.printf("\n%s\n", a.paint().faint(title)); err != nil {
			return err
		}
		show := a.showMemories
		if action == memory.ActionMerge {
			show = a.showMerge
		}
		if err := show(s); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) showMemories(s memory.PlannedStep) error {
	for _, m := range s.Memories {
		if err := a.printf(
			"  %s  %s\n%s\n", memory.ShortID(m.ID), a.date(m.CreatedAt),
			wrap(orGone(m.Text), a.sys.width(), "    "),
		); err != nil {
			return err
		}
	}
	if s.Into != "" {
		return a.printf("  the same text is kept already as %s\n", memory.ShortID(s.Into))
	}
	return nil
}

// showMerge prints one merge of a plan: the memory that stays beside each memory that is merged into
// it, and the text that the merge gives.
func (a *app) showMerge(s memory.PlannedStep) error {
	if len(s.Memories) == 0 {
		return nil
	}
	first := s.Memories[0]
	for _, m := range s.Memories[1:] {
		left := memory.ShortID(first.ID) + " stays\n" + orGone(first.Text)
		right := memory.ShortID(m.ID) + " goes into it\n" + orGone(m.Text)
		if m.Collection != first.Collection {
			right = memory.ShortID(m.ID) + " goes into it, from " + m.Collection + "\n" + orGone(m.Text)
		}
		if err := a.printf("%s\n", sideBySide(left, right, a.sys.width(), "  ")); err != nil {
			return err
		}
	}
	if s.Text == first.Text {
		return a.printf("  %s the first, unchanged\n", a.paint().bold("comes out:"))
	}
	return a.printf("  %s\n%s\n", a.paint().bold("comes out:"),
		wrap(diffText(first.Text, s.Text), a.sys.width(), "    "))
}

// decaysShown is how many memories a plan names of those whose confidence fades.
const decaysShown = 20

// showDecay says for how many confidence fades, and names those that lose the most.
func (a *app) showDecay(steps []memory.PlannedStep) error {
	type fade struct {
		id            string
		before, after float64
	}
	var all []fade
	for _, s := range steps {
		for i, id := range s.IDs {
			if i < len(s.Before) && i < len(s.After) {
				all = append(all, fade{id, s.Before[i], s.After[i]})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y fade) int { return cmp.Compare(y.before-y.after, x.before-x.after) })
	if err := a.printf("%s, those that lose the most:\n", memories(len(all))); err != nil {
		return err
	}
	for _, f := range all[:min(len(all), decaysShown)] {
		if err := a.printf("  %s  %.3f → %.3f\n", memory.ShortID(f.id), f.before, f.after); err != nil {
			return err
		}
	}
	return nil
}

// showLeftOut names what is not done because a question would lose its answer.
func (a *app) showLeftOut(all []memory.LeftOut) error {
	if len(all) == 0 {
		return nil
	}
	if err := a.printf("\n%s\n", a.paint().bold("left alone: a question would lose its answer")); err != nil {
		return err
	}
	for _, l := range all {
		if err := a.printf(
			"  %s of %s: %s\n", l.Action, strings.Join(shortIDs(l.IDs), ", "), printable(l.Why),
		); err != nil {
			return err
		}
	}
	return nil
}

func shortIDs(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = memory.ShortID(id)
	}
	return out
}

func orGone(text string) string { return orText(text, "(gone meanwhile)") }

// sideBySide sets two texts in columns, or one under the other where there is
// no room for two.
func sideBySide(left, right string, width int, indent string) string {
	const gap, least = " │ ", 24
	column := (width - utf8.RuneCountInString(indent) - utf8.RuneCountInString(gap)) / 2
	if column < least {
		return wrap(left, width, indent) + "\n" + wrap(right, width, indent)
	}
	ls, rs := strings.Split(wrap(left, column, ""), "\n"), strings.Split(wrap(right, column, ""), "\n")
	lines := make([]string, max(len(ls), len(rs)))
	for i := range lines {
		l, r := "", ""
		if i < len(ls) {
			l = ls[i]
		}
		if i < len(rs) {
			r = rs[i]
		}
		pad := strings.Repeat(" ", max(0, column-utf8.RuneCountInString(l)))
		lines[i] = strings.TrimRight(indent+l+pad+gap+r, " ")
	}
	return strings.Join(lines, "\n")
}
