package purge

import (
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// counted adds to the receipt what a step takes away, before it is taken. A step that goes on for a
// killed worker is in the receipt already and is not counted again, so the receipt does not depend on
// how often the worker was killed. The key names the step.
func (k *Keeper) counted(r *receipt, key string, count func() (memory.Swept, error)) error {
	if slices.Contains(r.content.Steps, key) {
		return nil
	}
	n, err := count()
	if err != nil {
		return err
	}
	r.Report.Add(n)
	r.content.Steps = append(r.content.Steps, key)
	return r.save(k.Home)
}

// rules say what a receipt takes away: from a text, from an entry of the spool, from a log and from a
// string in a history.
type rules struct {
	text  memory.Cleaner
	name  func(project, name string, limit int) string // nil leaves names
	entry func(data []byte) (left []byte, changed bool)
	line  func(line []byte) bool
	value func(text string) bool // nil: only what the receipt knows is looked for
}

// cleaning is for a sweep of the ledger.
func (ru rules) cleaning(gone []string, progress func()) memory.Cleaning {
	return memory.Cleaning{Clean: ru.text, Name: ru.name, Gone: gone, Progress: progress}
}

// rules returns those of a receipt.
func (k *Keeper) rules(r *receipt) (rules, error) {
	f := newFinder(r.content.Secret, r.content.Patterns, false)
	some := func(data []byte) bool { return len(f.in(data)) > 0 }
	if of := r.content.Redaction; of != nil {
		redaction, err := k.redaction(of.Dir, of.Project)
		return redacting(redaction, some, r.removed), err
	}
	return rules{
		text: func(_, text string) (string, bool) { return "", some([]byte(text)) },
		// A request that has only some of the words says something else too.
		entry: func(data []byte) ([]byte, bool) {
			return nil, slices.ContainsFunc(f.in(data), func(m match) bool { return m.whole })
		},
		line: some,
	}, nil
}
