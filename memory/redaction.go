package memory

import "strings"

// Redaction redacts what is stored already, with the rules of today.
type Redaction struct {
	Base Redactor // for everything
	// Local also has the rules of one project's folder. Only texts of that project are redacted with these rules.
	Local   Redactor
	Project string
}

func (r Redaction) of(project string) Redactor {
	if r.Local != nil && project != "" && project == r.Project {
		return r.Local
	}
	return r.Base
}

// Text redacts a text of a project, "" for a text of no project. It is a [Cleaner].
func (r Redaction) Text(project, text string) (clean string, changed bool) {
	clean = redacted(r.of(project), text)
	return clean, clean != text
}

// Name redacts a name of at most limit bytes.
func (r Redaction) Name(project, name string, limit int) string {
	return redactName(r.of(project), name, limit)
}

// Kinds names what is taken out of a text.
func (r Redaction) Kinds(project, text string) []string {
	_, kinds := r.of(project).Redact(text)
	return kinds
}

// Redacted is a memory that is redacted anew.
type Redacted struct {
	Before, After Memory
	Vector        Vector // of the new text
	Model         string
	Kinds         []string
}

// RedactedPage counts the memories that one step redacted.
type RedactedPage struct {
	IDs    []string       `json:"ids"`    // of the memories, and of those that were merged into them
	Count  int            `json:"count"`  // memories that were rewritten
	Merged int            `json:"merged"` // memories that said the same afterwards, and were merged
	Kinds  map[string]int `json:"kinds,omitempty"`
}

// RedactInput asks to redact everything that is stored with the rules of today.
type RedactInput struct {
	// Dir is a folder on the worker's machine. The rules of its CLAUDE.md files hold for what is of
	// Project, besides the rules of the user. Empty means the user's rules only.
	Dir     string `json:"dir,omitempty"`
	Project string `json:"project,omitempty"`
	DryRun  bool   `json:"dry_run,omitempty"`
	User    string `json:"user,omitempty"`
}

// maxDirBytes bounds the path of a folder.
const maxDirBytes = 4096

// Check refuses what cannot be done.
func (in RedactInput) Check() error {
	if len(in.Dir) > maxDirBytes || in.Dir != "" && !strings.HasPrefix(in.Dir, "/") {
		return Errorf(Invalid, "run the command in the project's folder", "%q is no whole path of a folder", clip(in.Dir))
	}
	return CheckName("project", in.Project)
}

// RedactReport says what a redaction of everything changed, or with DryRun would change.
type RedactReport struct {
	WorkflowID string `json:"workflow_id"`
	DryRun     bool   `json:"dry_run"`
	Stage      string `json:"stage,omitempty"` // what is being done now
	Memories   int    `json:"memories"`        // that were rewritten
	Merged     int    `json:"merged,omitempty"`
	// Kinds counts the memories by the kinds of what was taken out.
	Kinds map[string]int `json:"kinds,omitempty"`
	// Examples are the first of the memories, as they are afterwards. Only a dry run has them.
	Examples []RedactExample `json:"examples,omitempty"`
	// Purge counts the other places, and names the places that were searched for the removed texts, with
	// the finds.
	Purge *PurgeReport `json:"purge"`
}

// RedactExample is a memory as it will be.
type RedactExample struct {
	ID      string   `json:"id"`
	Project string   `json:"project"`
	Kinds   []string `json:"kinds"`
	Text    string   `json:"text"`
}

// MaxRedactExamples bounds the examples of a dry run.
const MaxRedactExamples = 50

// Total counts everything that a redaction changed or would change.
func (r RedactReport) Total() int {
	n := r.Memories
	if r.Purge != nil {
		n += r.Purge.Total()
	}
	return n
}

// Removed returns what a redactor took out of a text, as places in the text before. after is the
// redacted text. Where that cannot be told, everything was taken out.
func Removed(before, after string) [][2]int {
	all := [][2]int{{0, len(before)}}
	var out [][2]int
	for pos := 0; ; {
		literal, marker, rest := cutMarker(after)
		if !strings.HasPrefix(before[pos:], literal) {
			return all
		}
		pos += len(literal)
		switch {
		case marker == "" && pos < len(before):
			return all
		case marker == "":
			return out
		}
		after = rest
		if strings.HasPrefix(before[pos:], marker) { // it was there before
			pos += len(marker)
			continue
		}
		end := removedEnd(before[pos:], rest)
		if end < 0 {
			return all
		}
		out, pos = append(out, [2]int{pos, pos + end}), pos+end
	}
}

// removedEnd is where in a text the part ends that a marker stands for, and rest, which follows the
// marker, begins; -1 if that cannot be told.
func removedEnd(text, rest string) int {
	next, marker, _ := cutMarker(rest)
	switch {
	case marker != "" && next == "": // two markers side by side
		return -1
	case marker != "":
		return strings.Index(text, next)
	case strings.HasSuffix(text, next):
		return len(text) - len(next)
	}
	return -1
}

// cutMarker returns the text before the first marker, the marker, and what follows it.
func cutMarker(text string) (literal, marker, rest string) {
	first := ""
	eachMarker(text, func(inside string) bool {
		first = markerOpens + inside + "]"
		return false
	})
	if first == "" {
		return text, "", ""
	}
	literal, rest, _ = strings.Cut(text, first)
	return literal, first, rest
}
