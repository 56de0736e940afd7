// Package failure reads what failed commands print: the signature of an error,
// errors behind an exit status of 0, and whether a memory is about the error.
package failure

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/shell"
)

// Sig is the signature of an error: what is characteristic of an error: the same for the same
// error in another folder, line or run.
type Sig struct {
	Kind  string   // of command, e.g. "go test"; empty when there is no command
	Lines []string // the telling lines, at most two, without what differs between runs
	Query string   // short text to search for: the kind and the lines
}

// Empty reports whether nothing telling was found.
func (s Sig) Empty() bool { return len(s.Lines) == 0 }

// Bounds of a signature, in bytes.
const (
	maxErrorText = 64 << 10 // read of an error: half from its beginning, half from its end
	maxTelling   = 220      // of one line
)

// Signature picks the telling lines out of what a failed command printed and
// strips from them folders, numbers, addresses, times and other things that
// differ between runs. A port, a status or an error's own code stays. The
// command may be empty, as for a tool that is no shell.
func Signature(command, errorText string) Sig {
	s := Sig{Kind: shell.MainKind(command)}
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
	return len(lines) == 0 || lexis.Overlap(lexis.Content(text), lexis.Set(strings.Join(lines, " "))) < 0.7
}

// lineRule says how telling a line is that matches. The first that matches counts.
type lineRule struct {
	re     lexis.Pattern
	weight int
}

var lineRules = []lineRule{
	// What stands around errors and says nothing of them.
	{lexis.OneOf(`(?i)(?:`, lexis.Table{
		{`^exit (?:code|status)`, "exit code"},
		{`^build failed`, "build failed"},
		{`build failed with an exception`, "build failed with an exception"},
		{`complete log of this run`, "complete log of this run"},
		{`for more information`, "for more information"},
		{`rerun with`, "rerun with"},
		{`run with`, "run with"},
		{`^make(?:\[\d+\])?: (?:\*\*\*|leaving|entering)`, "make: ***"},
		{`^\s*at .+[:(]\d`, "    at run (app.js:12:3)"},
		{`^\s*File ".*", line \d`, `  File "app.py", line 12, in run`},
		{`^goroutine \d`, "goroutine 1"},
		{`^Traceback`, "Traceback (most recent call last):"},
		{`^=+ .*=+$`, "=== FAILURES ==="},
		{`^-+$`, "-----"},
		{`^\s*\^`, "    ^"},
		{`^npm (?:ERR!|error) (?:path|errno|syscall|cwd|command|A complete|enoent This)`, "npm ERR! path /srv/app"},
		{`\b0 (?:errors?|failed|failures)\b`, "0 errors"},
		{`^(?:FAIL|FAILED|ok|PASS)$`, "FAIL"},
		{`^warning\b`, "warning"},
		{`^\s*(?:=|-->) `, "  --> main.rs:3:5"},
		{`: in <module>`, ": in <module>"},
		{`^note:`, "note:"},
		{`^help:`, "help:"},
		{`aborting due to`, "aborting due to"},
		{`could not compile`, "could not compile"},
		{`exit status \d+$`, "exit status 1"},
		{`^npm (?:ERR!|error) code \d+$`, "npm ERR! code 1"},
		{`^\s*code: '`, "code: '"},
		{`: AssertionError$`, "run_test.py:3: AssertionError"},
		{`^collect2: `, "collect2: "},
	}, `)`), 0},
	// A tool's own statement of what is wrong.
	{lexis.OneOf(`(?:`, lexis.Table{
		{`^panic: `, "panic: "},
		{`^fatal(?: error)?: `, "fatal: "},
		{`: fatal error: `, ": fatal error: "},
		{`^error\[E\d+\]`, "error[E0308]"},
		{`: error(?: TS\d+)?:`, ": error:"},
		{`error TS\d+:`, "error TS2304:"},
		{`^E\s+\w*(?:Error|Exception)`, "E   AssertionError"},
		{`^\w*(?:\.\w+)*(?:Error|Exception|Warning)\b(?: \[\w+\])?: `, "Error: "},
		{`undefined reference to`, "undefined reference to `main'"},
		{`^npm (?:ERR!|error) (?:code|missing|notarget|Missing|Cannot|Invalid|Error)`, "npm ERR! code"},
		{`Cannot find module`, "Cannot find module"},
		{`command not found`, "command not found"},
		{`EADDRINUSE`, "EADDRINUSE"},
		{`EACCES`, "EACCES"},
		{`ENOENT`, "ENOENT"},
		{`ERR_\w+`, "ERR_PNPM_NO_SCRIPT"},
		{`ERESOLVE`, "ERESOLVE"},
		{`OOMKilled`, "OOMKilled"},
		{`Segmentation fault`, "Segmentation fault"},
		{`panicked at`, "panicked at"},
		{`address already in use`, "address already in use"},
		{`connection refused`, "connection refused"},
		{`permission denied`, "permission denied"},
		{`[Nn]o such file or directory`, "no such file or directory"},
		{`^ERROR: .*(?:[Cc]ould not|[Ff]ailed|[Nn]o )`, "ERROR: could not connect"},
		{`^go: `, "go: "},
		{`^rule violation`, "rule violation"},
		{`DATA RACE`, "DATA RACE"},
	}, `)`), 10},
	{lexis.Lazy(`^\S+\.\w{1,5}:\d+(?::\d+)?: `), 8}, // file.go:12:5: what is wrong
	{lexis.Lazy(`^\s*FAIL\s+\S|^(?:ERROR|FAILED) \S+$`), 3},
	{lexis.Lazy(`^--- FAIL|^\s*● |^FAILED \S+ - `), 7},
	{lexis.Lazy(`(?i)^\s*(?:error|fatal|fail(?:ure|ed)?)\b[:! ]`), 7},
	{lexis.Lazy(`^FAILED |^E\s+`), 6},
	{lexis.OneOf(`(?i)\b(?:`, lexis.Table{
		{`error`, "error"},
		{`exception`, "exception"},
		{`denied`, "denied"},
		{`refused`, "refused"},
		{`not found`, "not found"},
		{`cannot`, "cannot"},
		{`can't`, "can't"},
		{`could not`, "could not"},
		{`unable to`, "unable to"},
		{`failed`, "failed"},
		{`undefined`, "undefined"},
		{`unknown`, "unknown"},
		{`invalid`, "invalid"},
		{`timed? ?out`, "timed out"},
		{`deadline`, "deadline"},
		{`missing`, "missing"},
		{`conflict`, "conflict"},
		{`unsupported`, "unsupported"},
		{`killed`, "killed"},
		{`out of memory`, "out of memory"},
		{`no space`, "no space"},
		{`expired`, "expired"},
		{`mismatch`, "mismatch"},
		{`not allowed`, "not allowed"},
		{`unauthorized`, "unauthorized"},
		{`forbidden`, "forbidden"},
		{`does not exist`, "does not exist"},
	}, `)\b`), 4},
	{lexis.Lazy(`(?i)^\s*(?:FAIL\s|expected|received|got|want)\b`), 3},
}

// scored is a line and how telling it is.
type scored struct{ at, weight int }

// telling returns at most two lines, in the order they were printed.
func telling(text string) []string {
	lines := strings.Split(Shorten(text), "\n")
	var list []scored
	for i, l := range lines {
		if strings.IndexByte(l, 0x1b) >= 0 || strings.IndexByte(l, '\r') >= 0 {
			lines[i] = ansi.Replace(l, "")
		}
		if marked(lines[i]) {
			list = append(list, scored{at: i})
		}
	}
	if len(list) > maxWeighed {
		list = slices.Concat(list[:maxWeighed/2], list[len(list)-maxWeighed/2:])
	}
	for i := range list {
		list[i].weight = weigh(lines[list[i].at])
	}
	list = slices.DeleteFunc(list, func(s scored) bool { return s.weight <= 0 })
	if len(list) == 0 {
		return lastPlain(lines)
	}
	return heaviest(lines, list)
}

// heaviest picks the two lines that tell most. The first of equals is the
// cause; a Python traceback names it last, but only its last line is heavy.
func heaviest(lines []string, list []scored) []string {
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.weight, a.weight) })
	list = list[:min(len(list), 2)]
	if len(list) == 2 && (list[1].weight <= 3 || list[1].weight < 6 && list[0].weight >= 8) {
		list = list[:1]
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(a.at, b.at) })
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, lines[s.at])
	}
	return out
}

// lastPlain returns the last line that is not known to say nothing.
func lastPlain(lines []string) []string {
	for i := len(lines) - 1; i >= max(0, len(lines)-20); i-- {
		if strings.TrimSpace(lines[i]) != "" && weigh(lines[i]) < 0 {
			return lines[i : i+1]
		}
	}
	return nil
}

// marks stand in every line that a rule can match: looking for them first
// keeps a wall of output cheap.
var marks = []string{
	"error", "fail", "fatal", "panic", "exception", "warning", "undefined", "cannot", "can't", "could not", "unable", "not found", "denied",
	"refused", "invalid", "missing", "unknown", "timed out", "timeout", "time out", "deadline", "conflict", "unsupported", "killed", "memory", "no space",
	"expired", "mismatch", "not allowed", "unauthorized", "forbidden", "does not exist", "no such", "in use", "eaddr", "eacces", "enoent", "err_", "eresolve",
	"segmentation", "data race", "● ", "go: ", "expected", "received", "got", "want", "violation", "assert",
}

// maxWeighed bounds the lines of one output that are looked at closely.
const maxWeighed = 400

func marked(l string) bool {
	low := strings.ToLower(l)
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(low, m) }) || place(l)
}

// place reports whether a line may begin with file.go:12: in front of a message.
func place(l string) bool {
	i := strings.IndexByte(l, ':')
	return i > 2 && i+2 < len(l) && l[i+1] >= '0' && l[i+1] <= '9' && !strings.Contains(l[:i], " ")
}

// weigh returns how telling a line is: 0 when it is known to say nothing,
// less when no rule knows it.
func weigh(l string) int {
	l = strings.TrimRight(l, " \t\r")
	if len(l) > 2000 { // minified code, a data dump
		return 0
	}
	for _, rule := range lineRules {
		if rule.re.Match(l) {
			return rule.weight
		}
	}
	return -1
}

// Shorten bounds how much of an output is looked at: half from its beginning,
// half from its end.
func Shorten(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return text[:maxErrorText/2] + "\n" + text[len(text)-maxErrorText/2:]
}

var (
	ansi      = lexis.Lazy("\x1b\\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]")
	uuids     = lexis.Lazy(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)
	hexes     = lexis.Lazy(`\b0x[0-9a-fA-F]+\b|\b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{6,}\b|\b[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]{6,}\b`)
	stamps    = lexis.Lazy(`\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`)
	durations = lexis.Lazy(`\b(?:\d+(?:\.\d+)?(?:h|m|ms|s)){2,}\b|\(?\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|m|min|minutes|h)\b\)?`)
	places    = lexis.Lazy(`(\.[A-Za-z]\w{0,5})(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))`) // file.go:12:5
	lineWords = lexis.Lazy(`(?i)(?:,|:)? \(?(?:at |on )?line \d+(?:,? col(?:umn)? \d+)?\)?`)
	paths     = lexis.Lazy(`(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[/\\][\w.@+%~-]+){2,}[/\\]?|(?:[\w.@+-]+/){2,}[\w.@+-]+`)
	hosts     = lexis.Lazy(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	kept      = lexis.Lazy(`(?i)\b(?:port|status|signal|http|https?/[\d.]+|code|exit|errno|error|version|v|python|node|go|java|ruby)[ :=]*\d[\d.]*|:{1,3}\d{2,5}\b`)
	numbers   = lexis.Lazy(`(^|[^\w.=])[+-]?\d[\d,._]*(?:%|[kKMG]i?B?\b)?($|[^\w.])`)
	prefixes  = lexis.Lazy(`^(?:npm (?:ERR!|error) |E\s+|\s*● |\s*[>│|*•-]+\s+)`)
	spaces    = lexis.Lazy(`\s+`)
	hollow    = lexis.Lazy(`\(\s*\)|\[\s*\]|""|''`)
)

// normalise strips from a line what differs between runs.
func normalise(l string) string {
	l = prefixes.Replace(strings.TrimSpace(l), "")
	l = lexis.Clip(l, 4*maxTelling)
	for _, re := range []lexis.Pattern{uuids, stamps, hexes, hosts} {
		l = re.Replace(l, "")
	}
	l = places.Replace(l, "$1")
	l = lineWords.Replace(l, "")
	l = paths.Compiled().ReplaceAllStringFunc(l, baseOf)
	l = durations.Replace(l, "")
	l = withoutNumbers(l)
	l = hollow.Replace(l, "")
	l = strings.TrimSpace(spaces.Replace(l, " "))
	return lexis.Clip(strings.Trim(l, " ,;-"), maxTelling)
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
	for _, at := range kept.Compiled().FindAllStringIndex(l, -1) {
		out.WriteString(stripNumbers(l[last:at[0]]))
		out.WriteString(l[at[0]:at[1]])
		last = at[1]
	}
	out.WriteString(stripNumbers(l[last:]))
	return out.String()
}

func stripNumbers(s string) string {
	for range 2 { // neighbours share the space between them
		s = numbers.Replace(s, "$1$2")
	}
	return s
}

// hidden finds lines that only a failed command prints.
var hidden = lexis.OneOf(`(?m)(?:`, lexis.Table{
	{`^--- FAIL`, "--- FAIL: TestAdd (0.00s)"},
	{`^FAIL(?:\t|$)`, "FAIL\texample.com/shop\t0.3s"},
	{`^FAILED `, "FAILED test_add.py::test_add - assert 3 == 2"},
	{`^npm (?:ERR!|error) code`, "npm ERR! code ELIFECYCLE"},
	{`^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in `, "==== 2 failed, 3 passed in 0.12s ===="},
	{`error\[E\d+\]`, "error[E0308]: mismatched types"},
	{`error: could not compile`, "error: could not compile `shop`"},
	{`test result: FAILED`, "test result: FAILED. 1 passed; 2 failed"},
	{`^Tests:\s+[1-9]\d* failed`, "Tests:       1 failed, 4 passed"},
	{`^\S+\.\w{1,5}:\d+:\d+: (?:fatal )?error: `, "main.c:3:1: error: unknown type name"},
	{`^make(?:\[\d+\])?: \*\*\* `, "make: *** [all] Error 2"},
	{`^Traceback \(most recent call last\)`, "Traceback (most recent call last):"},
	{`^BUILD (?:FAILED|FAILURE)`, "BUILD FAILED in 3s"},
	{`error TS\d+:`, "app.ts(3,1): error TS2304: Cannot find name 'x'."},
	{`^(?:ba|z)?sh: .*command not found`, "bash: jq: command not found"},
	{`^panic: `, "panic: runtime error"},
}, `)`)

// hiddenMarks stand in every output that hidden matches.
var hiddenMarks = []string{"FAIL", "failed", "ERR!", "error", "***", "Traceback", "command not found", "panic: "}

// Hides reports whether a command ended with status 0 although its output shows
// a failure, as with "go test ./... | tail" does. Commands that only show files
// are not judged by the content of the files.
func Hides(command, output string) bool {
	kinds := shell.Kinds(command)
	if len(kinds) == 0 || shell.ReadsOnly(kinds[len(kinds)-1]) {
		return false
	}
	output = Shorten(output)
	return slices.ContainsFunc(hiddenMarks, func(m string) bool { return strings.Contains(output, m) }) && hidden.Match(output)
}
