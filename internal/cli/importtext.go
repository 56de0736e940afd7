package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/importer"
	"github.com/mneme-memory/mneme/memory"
)

// wouldShown is how many parts a dry run shows; --json has all of them.
const wouldShown = 30

// printWould shows what an import would do.
func (a *app) printWould(in *foundImport, res importJSON) error {
	if a.json {
		return nil
	}
	for _, w := range res.Would[:min(len(res.Would), wouldShown)] {
		head := fmt.Sprintf("  %-8s %-10s ", w.Fate, w.Type)
		if err := a.printf(
			"%s%s\n", a.paint().bold(head), oneLine(orText(w.From, w.Project), a.sys.width()-len(head)),
		); err != nil {
			return err
		}
		for _, line := range []struct{ sign, text string }{{"-", w.Old}, {" ", w.Text}} {
			if line.text == "" {
				continue
			}
			if err := a.printf("    %s %s\n", line.sign, oneLine(line.text, a.sys.width()-6)); err != nil {
				return err
			}
		}
	}
	if more := len(res.Would) - wouldShown; more > 0 {
		if err := a.printf("  … and %d more\n", more); err != nil {
			return err
		}
	}
	if err := a.printf("would import %s\n", in.summary(res)); err != nil {
		return err
	}
	a.tellLeft(res.Left)
	a.note("dry run, nothing was changed")
	return nil
}

// printImported says what became of a source.
func (a *app) printImported(in *foundImport, res importJSON) error {
	if a.json {
		return nil
	}
	if err := a.printf("imported %s\n", in.summary(res)); err != nil {
		return err
	}
	for i, m := range in.plan.Gone {
		if i == maxBadShown {
			a.note("… and %d more", len(in.plan.Gone)-i)
			break
		}
		a.note("forgot what is gone from there: %s %s", memory.ShortID(m.ID), oneLine(m.Text, 100))
	}
	a.tellLeft(res.Left)
	a.tellUndo(res)
	return nil
}

// summary says in one line what an import does.
func (in *foundImport) summary(res importJSON) string {
	what := in.found.Format
	if in.found.Files > 1 {
		what += ", " + plural(in.found.Files, "file", "files")
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{
		{res.Stored, "new"},
		{res.Updated, "changed"},
		{res.Forgotten, "forgotten"},
		{res.Existing, "there already"},
		{res.Bad, "left out"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	projects := make([]string, len(res.Projects))
	for i, p := range res.Projects {
		projects[i] = printable(p)
	}
	where := strings.Join(projects, ", ")
	if len(projects) > 3 {
		where = plural(len(projects), "project", "projects")
	}
	return fmt.Sprintf("%s (%s) into %s: %s", printable(in.name), what, where, strings.Join(parts, ", "))
}

// tellLeft says what could not be carried over.
func (a *app) tellLeft(left []importer.Left) {
	for _, l := range left {
		a.note("not carried over: %s: %d", l.What, l.Count)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
