package failure

import (
	"path"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/shell"
)

// Report is what a failed call printed, taken apart, to find what speaks of
// the same error.
type Report struct {
	lines    [][]string // the plain words of each telling line
	words    []string   // of all telling lines, folded, in order
	seen     map[string]int
	parts    map[string]bool // what names consist of: "stg" and "orders" of stg_orders
	programs []string        // that the command runs
	classes  map[string]bool // of symptoms
}

// Bounds of a comparison.
const (
	maxReportLines = 60
	maxReportWords = 600
	maxNoteBytes   = 2000
)

// Weights of what error and memory have in common.
const (
	weighCode    = 3.0 // E0277, NU1301, StreamIsPartial
	weighName    = 1.6 // mergeDebugResources, ingest/fr.py
	weighSubject = 1.2 // jest, where jest fails
	weighPlain   = 0.5 // a word that few errors have
	weighCommon  = 0.1 // "failed"
	weighRun     = 0.7 // for each word of a row after the first
	weighSymptom = 2.2 // both hang, both run out of memory
	mostRun      = 4.0
	tellingRow   = 4   // words
	nameInRow    = 2   // words that a name in a row is worth: "undefined: retry.Do" has two and says all
	placeOnly    = 2.0 // subtracted when they share names but no message
	leastRun     = 3
	leastPlain   = 3   // plain words that both have, of an account that tells the message in other words
	coveredFrom  = 0.8 // of the account's plain words, that the error must have then
	retellsFrom  = 0.5 // of the plain words of a line of the error, that the account must have
	retold       = 2.0 // added then
	foreign      = 1.5 // subtracted when the memory speaks of another program
	elsewhere    = 2.5 // subtracted when all that the memory's error names is another
	fitsFrom     = 3.4
	fitsShare    = 0.26 // of the weight of the memory's account of the error
)

// Read takes apart what a failed command printed. The command may be empty, as
// for a tool that is no shell.
func Read(command, output string) Report {
	r := Report{seen: map[string]int{}, parts: map[string]bool{}, classes: map[string]bool{}}
	for _, kind := range shell.Kinds(command) {
		program, _, _ := strings.Cut(kind, " ")
		r.programs = append(r.programs, fold(program))
	}
	lines := reported(output)
	for _, l := range lines {
		r.lines = append(r.lines, plainWords(l))
		for _, w := range tokens(l) {
			if len(r.words) < maxReportWords {
				r.words = append(r.words, w.folded)
			}
			r.note(w)
		}
	}
	for _, w := range tokens(lexis.Clip(command, maxTelling)) {
		r.note(w)
		for _, p := range w.parts() {
			r.seen[p]++
		}
	}
	text := strings.Join(lines, "\n")
	for name, class := range symptoms {
		if class.Match(text) {
			r.classes[name] = true
		}
	}
	return r
}

func (r *Report) note(w token) {
	r.seen[w.folded]++
	if base := path.Base(w.folded); base != w.folded && len(base) > 2 {
		r.seen[base]++
	}
	for _, p := range w.parts() {
		r.parts[p] = true
	}
}

// reported are the lines of an output that can tell something: all of a short
// one but the frames of a stack, the marked ones of a long one.
func reported(output string) []string {
	lines := strings.Split(Shorten(ansi.Replace(output, "")), "\n")
	long := len(lines) > maxReportLines
	var out []string
	for _, l := range lines {
		if len(l) > 2000 || stackFrame.Match(l) || long && !marked(l) {
			continue
		}
		if out = append(out, l); len(out) == maxReportLines {
			break
		}
	}
	return out
}

var stackFrame = lexis.Lazy(`^\s*at .+[:(]\d|^goroutine \d|^Traceback|^Exit code \d+$`)

// Fits reports whether a memory's text speaks of this error: the same message,
// codes and names. What speaks of the same kind of error with another cause,
// as a missing module of another name, does not.
func (r Report) Fits(text string) bool { return r.Score(text) >= 1 }

// Score says how surely a memory's text speaks of this error; from 1 on it fits.
func (r Report) Score(text string) float64 {
	text = lexis.Clip(text, maxNoteBytes)
	account := accountOf(text)
	told := r.weigh(account)
	if told.all == 0 {
		return 0
	}
	row := r.row(account)
	run := 0.0
	if row >= leastRun {
		run = min(mostRun, weighRun*float64(row-1))
	}
	symptom := 0.0
	if told.strong > 0 && r.symptom(account) {
		symptom = weighSymptom
	}
	sum := told.shared + run + symptom
	switch {
	case told.plain >= leastPlain && told.plain >= told.plainAll*coveredFrom && r.retells(account):
		sum += retold
	case told.codes == 0 && run+symptom == 0: // names alone: the place, and not the error
		sum -= placeOnly
	case told.strong == 0 && row < tellingRow: // nothing but words of every day
		sum--
	}
	if r.foreign(account) {
		sum -= foreign
	}
	switch {
	case told.known > 0 && told.generic > 0: // the error of many causes, with what tells them apart
		sum++
	case told.names > 0 && told.known == 0 && told.generic > 0 && told.codes == told.generic:
		sum -= 2 * elsewhere
	case told.names > 0 && told.known == 0:
		sum -= elsewhere
	}
	return min(sum/fitsFrom, (told.shared+run/2+symptom)/told.all/fitsShare)
}

// Shares counts the codes and names of an error that a text has too, and the
// words of the longest row of its message, if that is longer than two.
func (r Report) Shares(text string) int {
	text = lexis.Clip(text, maxNoteBytes)
	n := r.weigh(text).strong
	if row := r.row(text); row >= leastRun {
		n += row
	}
	joined := " " + strings.Join(r.words, " ") + " "
	for _, m := range quotation.Compiled().FindAllStringSubmatch(text, -1) {
		var said []string
		for _, w := range tokens(m[1]) {
			said = append(said, w.folded)
		}
		if len(said) > 1 && strings.Contains(joined, " "+strings.Join(said, " ")+" ") {
			n += len(said)
		}
	}
	return n
}

// quotation is what stands between quotes: people quote the errors they speak of.
var quotation = lexis.Lazy("['\"`“„]([^'\"`”“\n]{6,120})['\"`”“]")

// accountOf is the part of a memory that tells of the error, and not of what
// helps: what helps names commands and places that the error does not.
func accountOf(text string) string {
	if at := remedyBegins.Find(text); at != nil && at[0] > 20 {
		return text[:at[0]]
	}
	return text
}

// remedyBegins finds the place in a memory where the account of the error ends.
var remedyBegins = lexis.OneOf(`(?i)(?:`, lexis.Table{
	{`\b(?:Fix|Solution|Workaround|Lösung|Abhilfe|Solución|Arreglo):`, "Workaround: use port 8443"},
	{`[.;] (?:fixed|solved)\b`, "The build hangs; fixed by a newer Go"},
	{`[.;] (?:run|set|use|call|add|disable|pin|delete|restart)\b`, "The port is taken. Restart the proxy"},
	{`[.;] (?:reiniciar|ejecutar)\b`, "El puerto está ocupado; reiniciar el proxy"},
	{`[.;] hilft\b`, "Der Port ist belegt. Hilft: ein Neustart"},
	{`[.;] (?:the|das|la) (?:fix|cure|solution|Lösung|solución) (?:was|is|war|ist|fue|es)\b`, "It fails; the fix was to pin Go"},
}, `)`)

// weighed is what an account and a report share.
type weighed struct {
	shared, all  float64
	names, known int // names in the account, and those of them that the error has too
	strong       int // codes, names and subjects that both have
	codes        int // that both have, and
	generic      int // those of them that have many causes

	plain, plainAll float64 // words that are neither common nor names: those of both, and all of the account
}

func (r Report) weigh(account string) weighed {
	var w weighed
	done := map[string]bool{}
	for _, t := range tokens(account) {
		if done[t.folded] {
			continue
		}
		done[t.folded] = true
		weight := t.weight()
		w.all += weight
		has := r.has(t)
		if weight == weighPlain {
			w.plainAll++
			if has {
				w.plain++
			}
		}
		if t.names() {
			w.names++
			if has || r.akin(t) {
				w.known++
			}
		}
		switch {
		case has:
			if weight == weighPlain && r.subject(t) {
				w.all += weighSubject - weight
				weight = weighSubject
			}
			w.shared += weight
			if t.code() {
				w.codes++
			}
			if t.code() && generic[t.folded] {
				w.generic++
			}
			if weight >= weighSubject {
				w.strong++
			}
		case t.names() && r.akin(t):
			w.shared += weight / 3
		}
	}
	return w
}

// subject reports whether a word names what fails: a program, or a thing of
// which the error speaks more than once.
func (r Report) subject(t token) bool {
	return shell.Known(t.folded) || r.seen[t.folded] > 1
}

func (r Report) has(t token) bool {
	return r.seen[t.folded] > 0 || r.seen[path.Base(t.folded)] > 0 && strings.Contains(t.folded, "/")
}

// akin reports whether the error has a name of the same family: color/accent_dim
// and color/accent_soft.
func (r Report) akin(t token) bool {
	return slices.ContainsFunc(t.parts(), func(p string) bool { return len(p) > 2 && r.parts[p] })
}

// row counts the words of the longest row that both have, in which not all are common.
func (r Report) row(account string) int {
	said := tokens(account)
	at := map[string][]int{}
	for i, w := range r.words {
		at[kin(w)] = append(at[kin(w)], i)
	}
	best := 0
	for i := range said {
		for _, j := range at[kin(said[i].folded)] {
			n, full, telling, named := 0, 0, 0, 0
			for i+n < len(said) && j+n < len(r.words) && kin(said[i+n].folded) == kin(r.words[j+n]) {
				weight := said[i+n].weight()
				if weight > 0 {
					full++
				}
				if weight > weighCommon {
					telling++
				}
				if said[i+n].names() {
					named = nameInRow
				}
				n++
			}
			if telling > 0 && full > 1 {
				best = max(best, n+named)
			}
		}
	}
	return best
}

// plainWords are the words of a text that are neither common nor names, each once.
func plainWords(text string) []string {
	var out []string
	for _, w := range tokens(text) {
		if w.weight() == weighPlain && !slices.Contains(out, w.folded) {
			out = append(out, w.folded)
		}
	}
	return out
}

// retells reports whether an account has most words of a line of the error, in whatever order.
func (r Report) retells(account string) bool {
	said := plainWords(account)
	return slices.ContainsFunc(r.lines, func(line []string) bool {
		n := 0
		for _, w := range line {
			if slices.Contains(said, w) {
				n++
			}
		}
		return n >= leastPlain && float64(n) >= retellsFrom*float64(len(line))
	})
}

// symptom reports whether an account tells of what also went wrong here.
func (r Report) symptom(account string) bool {
	for name := range r.classes {
		if symptoms[name].Match(account) {
			return true
		}
	}
	return false
}

// foreign reports whether an account names programs, and none of them has to do
// with this failure.
func (r Report) foreign(account string) bool {
	named := false
	for _, t := range tokens(account) {
		if !shell.Known(t.folded) {
			continue
		}
		if slices.Contains(r.programs, t.folded) || r.seen[t.folded] > 0 {
			return false
		}
		named = true
	}
	return named
}
