package purge

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// redaction returns the rules of today. A missing folder is an error: without
// it the project's own rules would be skipped silently.
func (k *Keeper) redaction(dir, project string) (memory.Redaction, error) {
	if k.Redaction == nil {
		return memory.Redaction{}, memory.Errorf(memory.Invalid, `run it where "mneme up" or mneme-worker runs`, "this worker has no rules to redact by")
	}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return memory.Redaction{}, memory.Errorf(memory.Invalid, "run it in a folder of the machine where mneme works, or with --no-project",
				"the folder %s is not on the machine where mneme works, and its rules cannot be read", dir)
		}
	}
	return k.Redaction(dir, project)
}

// redacting returns rules that redact. What is taken out is told to removed. Logs and histories, which
// cannot be rewritten, also go when they hold a part that was taken out somewhere else.
func redacting(by memory.Redaction, known func([]byte) bool, removed func(id, before, after string)) rules {
	text := func(project, text string) (string, bool) {
		clean, changed := by.Text(project, text)
		if changed {
			removed("", text, clean)
		}
		return clean, changed
	}
	dirty := func(data string) bool { _, changed := text("", data); return changed }
	return rules{
		text: text,
		name: func(project, name string, limit int) string {
			clean := by.Name(project, name, limit)
			if clean != name {
				removed("", name, clean)
			}
			return clean
		},
		entry: func(data []byte) ([]byte, bool) { return redactedJSON(data, text) },
		line:  func(line []byte) bool { return dirty(string(line)) || known(line) },
		value: dirty,
	}
}

// redactedJSON returns an entry of the spool with redacted strings. Data that is not JSON is emptied.
func redactedJSON(data []byte, clean memory.Cleaner) ([]byte, bool) {
	if _, changed := clean("", string(data)); !changed {
		return data, false
	}
	var value any
	if json.Unmarshal(data, &value) != nil {
		return nil, true
	}
	left, err := json.Marshal(redactedValue(value, clean))
	if err != nil {
		return nil, true
	}
	if _, still := clean("", string(left)); still { // a name and its value together
		return nil, true
	}
	return left, true
}

func redactedValue(value any, clean memory.Cleaner) any {
	switch v := value.(type) {
	case string:
		left, _ := clean("", v)
		return left
	case []any:
		for i := range v {
			v[i] = redactedValue(v[i], clean)
		}
	case map[string]any:
		for key := range v {
			v[key] = redactedValue(v[key], clean)
		}
	}
	return value
}

// BeginRedaction makes the receipt of a redaction, once, and returns its path.
func (k *Keeper) BeginRedaction(workflowID string, in memory.RedactInput) (string, error) {
	path := k.path(workflowID)
	_, err := load(k.Home, path)
	if err == nil || memory.CodeOf(err) != memory.NotFound {
		return path, err
	}
	if _, err := k.redaction(in.Dir, in.Project); err != nil {
		return path, err
	}
	r := newReceipt(path, workflowID, in.User)
	r.content.Redaction = &redaction{in.Dir, in.Project}
	return path, r.save(k.Home)
}

func newReceipt(path, workflowID, user string) receipt {
	r := receipt{
		Version: version, Name: fileName(workflowID), WorkflowID: workflowID,
		User: user, Begun: time.Now().UTC(), Hashes: []string{},
	}
	r.Report.Receipt = path
	r.content.Secret = newSecret()
	return r
}

// NoteRedacted adds a page of memories to a receipt, once, before they are rewritten.
func (k *Keeper) NoteRedacted(path string, page int, list []memory.Redacted) error {
	r, err := load(k.Home, path)
	if err != nil || slices.Contains(r.content.Pages, page) {
		return err
	}
	for _, m := range list {
		r.removed(m.Before.ID, m.Before.Text, m.After.Text)
		r.removed(m.Before.ID, m.Before.Project, m.After.Project)
		r.removed(m.Before.ID, m.Before.Session, m.After.Session)
		r.removed(m.Before.ID, m.Before.SourceRef, m.After.SourceRef)
		for _, tag := range m.Before.Tags {
			if !slices.Contains(m.After.Tags, tag) {
				r.removed(m.Before.ID, tag, "")
			}
		}
	}
	r.content.Pages = append(r.content.Pages, page)
	r.Memories += len(list)
	return r.save(k.Home)
}

// removed has the receipt find what was taken out of a text. What is too short to be looked for is
// looked for with the letters around it.
func (r *receipt) removed(id, before, after string) {
	if before == after {
		return
	}
	for _, span := range memory.Removed(before, after) {
		value := widened(before, span[0], span[1])
		hash := hex.EncodeToString(r.content.Secret.digest("", value))
		if slices.Contains(r.Hashes, hash) {
			continue
		}
		p := r.content.Secret.patternOf(r.content.Secret.table(), id, value)
		if len(p.Windows) == 0 {
			r.Report.Short++
		}
		r.content.Patterns, r.Hashes = append(r.content.Patterns, p), append(r.Hashes, hash)
		r.Report.Texts++
	}
}

// widened returns a part of a text. A part shorter than the shortest window gets letters from both
// sides until it is as long as that window.
func widened(text string, from, to int) string {
	if letters(text[from:to]) >= lengths[0] {
		return text[from:to]
	}
	const whole = 12 // one of lengths, so that there is one window
	for letters(text[from:to]) < whole && (from > 0 || to < len(text)) {
		if from > 0 {
			from--
		}
		if to < len(text) && letters(text[from:to]) < whole {
			to++
		}
	}
	return text[from:to]
}

// letters counts the bytes of a text in the form that is searched.
func letters(text string) (n int) {
	for _, piece := range pieces(text) {
		n += len(piece)
	}
	return n
}

// Survey counts what a redaction would change beside the memories. It changes nothing.
func (k *Keeper) Survey(ctx context.Context, in memory.RedactInput, sweeps memory.Sweeps, progress func()) (memory.Swept, error) {
	r := newReceipt("", "survey", in.User) // which is never written
	r.content.Redaction = &redaction{in.Dir, in.Project}
	rules, err := k.rules(&r)
	if err != nil {
		return memory.Swept{}, err
	}
	n, err := sweepLedger(ctx, sweeps, rules.cleaning(nil, progress), true)
	if err != nil {
		return n, err
	}
	home, err := k.sweepHome(ctx, rules, nil, false)
	n.Add(home)
	if err != nil {
		return n, err
	}
	gone, err := k.planDeletion(ctx, &r, progress)
	n.Histories = len(gone.Runs)
	return n, err
}

// RedactionOf returns the rules of today for memories.
func (k *Keeper) RedactionOf(in memory.RedactInput) (memory.Redaction, error) {
	return k.redaction(in.Dir, in.Project)
}
