package extract

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrorSignature is what is characteristic of an error: the same for the same
// error in another folder, line or run.
type ErrorSignature struct {
	Kind  string   // of command, e.g. "go test"; empty when there is no command
	Lines []string // the telling lines, at most two, without what differs between runs
	Query string   // short text to search for: the kind and the lines
}

// Empty reports whether nothing telling was found.
func (s ErrorSignature) Empty() bool { return len(s.Lines) == 0 }

// Bounds of a signature, in bytes.
const (
	maxErrorText = 64 << 10 // read of an error: half from its beginning, half from its end
	maxTelling   = 220      // of one line
)

// Signature picks the telling lines out of what a failed command printed and
// strips from them folders, numbers, addresses, times and other things that
// differ between runs. A port, a status or an error's own code stays. The
// command may be empty, as for a tool that is no shell.
func Signature(command, errorText string) ErrorSignature {
	s := ErrorSignature{Kind: mainKind(command)}
	for _, l := range telling(errorText) {
		if text := normalise(l); adds(s.Lines, text) {
			s.Lines = append(s.Lines, text)
		}
	}
	s.Query = strings.Join(s.Lines, "; ")
	if s.Kind != "" && s.Query != "" {
		s.Query = s.Kind + ": " + s.Query
	}
	return s
}

// adds reports whether a line says something that those before do not.
func adds(lines []string, text string) bool {
	if text == "" {
		return false
	}
	return len(lines) == 0 || overlap(contentWords(text), wordSet(strings.Join(lines, " "))) < 0.5
}

// lineRule says how telling a line is that matches. The first that matches counts.
type lineRule struct {
	re     pattern
	weight int
}

var lineRules = []lineRule{
	// What stands around errors and says nothing of them.
	{lazy(`(?i)^exit (?:code|status)|complete log of this run|for more information|rerun with|run with|^make(?:\[\d+\])?: (?:\*\*\*|leaving|entering)|^\s*at .+[:(]\d|^\s*File ".*", line \d|^goroutine \d|^Traceback|^=+ .*=+$|^-+$|^\s*\^|^npm (?:ERR!|error) (?:path|errno|syscall|cwd|command|A complete|enoent This)|\b0 (?:errors?|failed|failures)\b|^(?:FAIL|FAILED|ok|PASS)$|^warning\b|^\s*(?:=|-->) |: in <module>|^note:|^help:|aborting due to|could not compile|exit status \d+$|^npm (?:ERR!|error) code \d+$`), 0},
	// A tool's own statement of what is wrong.
	{lazy(`^panic: |^fatal(?: error)?: |: fatal error: |^error\[E\d+\]|: error(?: TS\d+)?:|error TS\d+:|^E\s+\w*(?:Error|Exception)|^\w*(?:\.\w+)*(?:Error|Exception|Warning)\b(?: \[\w+\])?: |undefined reference to|^npm (?:ERR!|error) (?:code|missing|notarget|Missing|Cannot|Invalid|Error)|Cannot find module|command not found|EADDRINUSE|EACCES|ENOENT|ERR_\w+|ERESOLVE|OOMKilled|Segmentation fault|panicked at|address already in use|connection refused|permission denied|[Nn]o such file or directory|^ERROR: .*(?:[Cc]ould not|[Ff]ailed|[Nn]o )|^go: |^rule violation|DATA RACE`), 10},
	{lazy(`^\S+\.\w{1,5}:\d+(?::\d+)?: `), 8}, // file.go:12:5: what is wrong
	{lazy(`^\s*FAIL\s+\S|^(?:ERROR|FAILED) \S+$`), 3},
	{lazy(`^--- FAIL|^\s*● `), 7},
	{lazy(`(?i)^\s*(?:error|fatal|fail(?:ure|ed)?)\b[:! ]`), 7},
	{lazy(`^FAILED |^E\s+`), 6},
	{lazy(`(?i)\b(?:error|exception|denied|refused|not found|cannot|can't|could not|unable to|failed|undefined|unknown|invalid|timed? ?out|deadline|missing|conflict|unsupported|killed|out of memory|no space|expired|mismatch|not allowed|unauthorized|forbidden|does not exist)\b`), 4},
	{lazy(`(?i)^\s*(?:FAIL\s|expected|received|got|want)\b`), 3},
}

// telling returns at most two lines, in the order they were printed.
func telling(text string) []string {
	lines := strings.Split(shorten(text), "\n")
	type scored struct{ at, weight int }
	var best []scored
	lastPlain := -1
	for i, l := range lines {
		l = strings.TrimRight(ansi.replace(l, ""), " \t\r")
		lines[i] = l
		if strings.TrimSpace(l) == "" {
			continue
		}
		w, known := weigh(l)
		if w > 0 {
			best = append(best, scored{i, w})
		} else if !known {
			lastPlain = i
		}
	}
	// The first of equals is the cause; a Python traceback names it last, but
	// only its last line is heavy.
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.weight, a.weight) })
	if len(best) == 0 {
		if lastPlain < 0 {
			return nil
		}
		return []string{lines[lastPlain]}
	}
	best = best[:min(len(best), 2)]
	if len(best) == 2 && (best[1].weight <= 3 || best[1].weight < 6 && best[0].weight >= 8) {
		best = best[:1]
	}
	slices.SortFunc(best, func(a, b scored) int { return cmp.Compare(a.at, b.at) })
	out := make([]string, 0, len(best))
	for _, b := range best {
		out = append(out, lines[b.at])
	}
	return out
}

func weigh(l string) (weight int, known bool) {
	if len(l) > 2000 { // minified code, a data dump
		return 0, true
	}
	for _, rule := range lineRules {
		if rule.re.match(l) {
			return rule.weight, true
		}
	}
	return 0, false
}

func shorten(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return text[:maxErrorText/2] + "\n" + text[len(text)-maxErrorText/2:]
}

var (
	ansi      = lazy("\x1b\\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]")
	uuids     = lazy(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)
	hexes     = lazy(`\b0x[0-9a-fA-F]+\b|\b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{6,}\b|\b[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]{6,}\b`)
	stamps    = lazy(`\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`)
	durations = lazy(`\(?\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|m|min|minutes|h)\b\)?`)
	places    = lazy(`(\.\w{1,6}):\d+(?::\d+)?`) // file.go:12:5
	lineWords = lazy(`(?i)(?:,|:)? \(?(?:at |on )?line \d+(?:,? col(?:umn)? \d+)?\)?`)
	paths     = lazy(`(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[/\\][\w.@+%~-]+){2,}[/\\]?|(?:[\w.@+-]+/){2,}[\w.@+-]+`)
	hosts     = lazy(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	kept      = lazy(`(?i)\b(?:port|status|signal|http|https?/[\d.]+|code|exit|errno|error|version|v|python|node|go|java|ruby)[ :=]*\d[\d.]*|:{1,3}\d{2,5}\b`)
	numbers   = lazy(`(^|[^\w.=])[+-]?\d[\d,._]*(?:%|[kKMG]i?B?\b)?($|[^\w.])`)
	prefixes  = lazy(`^(?:npm (?:ERR!|error) |E\s+|\s*● |\s*[>│|*•-]+\s+)`)
	spaces    = lazy(`\s+`)
	hollow    = lazy(`\(\s*\)|\[\s*\]|""|''`)
)

// normalise strips from a line what differs between runs.
func normalise(l string) string {
	l = prefixes.replace(strings.TrimSpace(l), "")
	l = clip(l, 4*maxTelling)
	for _, re := range []pattern{uuids, stamps, hexes} {
		l = re.replace(l, "")
	}
	l = places.replace(l, "$1")
	l = lineWords.replace(l, "")
	l = hosts.replace(l, "")
	l = paths.compiled().ReplaceAllStringFunc(l, baseOf)
	l = durations.replace(l, "")
	l = withoutNumbers(l)
	l = hollow.replace(l, "")
	l = strings.TrimSpace(spaces.replace(l, " "))
	return clip(strings.Trim(l, " ,;-"), maxTelling)
}

// baseOf keeps the last part of a path, unless it was made for one run.
func baseOf(p string) string {
	if first, _, _ := strings.Cut(p, "/"); strings.Contains(strings.Trim(first, "."), ".") {
		return p // a module: github.com/owner/name
	}
	base := path.Base(strings.ReplaceAll(strings.TrimRight(p, `/\`), `\`, "/"))
	if strings.Count(p, "/") > 1 && strings.ContainsAny(base, "0123456789") && !strings.Contains(base, ".") {
		return ""
	}
	return base
}

// withoutNumbers takes out numbers that stand alone, except where a word says
// that they name something: port 5432, status 403.
func withoutNumbers(l string) string {
	var out strings.Builder
	last := 0
	for _, at := range kept.compiled().FindAllStringIndex(l, -1) {
		out.WriteString(stripNumbers(l[last:at[0]]))
		out.WriteString(l[at[0]:at[1]])
		last = at[1]
	}
	out.WriteString(stripNumbers(l[last:]))
	return out.String()
}

func stripNumbers(s string) string {
	for range 2 { // neighbours share the space between them
		s = numbers.replace(s, "$1$2")
	}
	return s
}

// clip shortens a text to at most limit bytes, at a space if there is one near.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if i := strings.LastIndexByte(s[:end], ' '); i > end*2/3 {
		end = i
	}
	return strings.TrimSpace(s[:end])
}

var hidden = lazy(`(?m)^--- FAIL|^FAIL(?:\t|$)|^npm (?:ERR!|error) code|^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in |^FAILED |error\[E\d+\]|error: could not compile|test result: FAILED|^Tests:\s+[1-9]\d* failed|^\S+\.\w{1,5}:\d+:\d+: (?:fatal )?error: |^make(?:\[\d+\])?: \*\*\* |^Traceback \(most recent call last\)|^BUILD (?:FAILED|FAILURE)|error TS\d+:|^(?:ba|z)?sh: .*command not found|^panic: `)

// HidesFailure reports whether a command that ended well printed what shows
// that what it ran failed, as "go test ./... | tail" does. Commands that only
// show files are not judged by what is in them.
func HidesFailure(command, output string) bool {
	kinds := kindsOf(command)
	if len(kinds) == 0 || readsOnly(kinds[len(kinds)-1]) {
		return false
	}
	return hidden.match(shorten(output))
}
