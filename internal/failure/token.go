package failure

import (
	"strings"
	"unicode"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// token is a word of an error or of a memory about one.
type token struct {
	text   string
	folded string
	quoted bool // stands alone between quotes
}

var wordOf = lexis.Lazy(`['"` + "`" + `]?[\pL\pN_](?:[\pL\pN_./:@+#-]*[\pL\pN_])?['"` + "`" + `]?|:\d{2,5}`)

// tokens takes a text apart into words; a path, a flag or a dotted name is one.
func tokens(text string) []token {
	var out []token
	for _, w := range wordOf.Compiled().FindAllString(text, -1) {
		bare := strings.Trim(w, "'\"`")
		bare = strings.Trim(bare, ":./-+#@")
		if bare == "" {
			continue
		}
		// "errors.DeadlockDetected:" and "ingest/db.py:41" name the same without it.
		for i := strings.LastIndexByte(bare, ':'); i > 0 && digits(bare[i+1:]) && !digits(bare[:i]); i = strings.LastIndexByte(bare, ':') {
			bare = bare[:i]
		}
		out = append(out, token{text: bare, folded: fold(bare), quoted: len(w) >= len(bare)+2 && strings.ContainsRune("'\"`", rune(w[0]))})
	}
	return out
}

// fold makes one of "sqlalchemy.exc.OperationalError" and "OperationalError",
// of "images" and "image".
func fold(word string) string {
	if i := strings.LastIndexByte(word, '.'); i > 0 && i+1 < len(word) && className.Match(word[i+1:]) {
		word = word[i+1:]
	}
	low := strings.ToLower(word)
	if len(low) > 4 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && letters(low) {
		low = low[:len(low)-1]
	}
	return low
}

var (
	className = lexis.Lazy(`^[A-Z]\w*(?:Error|Exception|Fault|Failure|Invalid|Detected|History|Killed|BackOff|Violation|Overflow)$`)
	codeName  = lexis.Lazy(`^(?:[A-Z]{1,6}-?\d{2,6}|\d{2}[A-Z]\d{2}|E[A-Z]{4,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|x509|PKIX|0x[0-9a-fA-F]{2,})$`)
	innerCase = lexis.Lazy(`^[A-Za-z]+[a-z][A-Z]\w*$|^[A-Z]{2,}[a-z]+\w*$`)
)

func (t token) weight() float64 {
	low := t.folded
	switch {
	case generic[low]:
		return weighPlain * 2
	case t.code():
		return weighCode
	case t.names(), innerCase.Match(t.text):
		return weighName
	case digits(low):
		if len(low) >= 3 {
			return weighPlain * 2 // an exit code, a status, a port
		}
		return 0
	case lexis.Stop(low) || len(low) < 3:
		return 0
	case common[low]:
		return weighCommon
	default:
		return weighPlain
	}
}

// code reports whether a word is the code of an error or the name of its class.
func (t token) code() bool { return codeName.Match(t.text) || className.Match(last(t.text)) }

func last(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// names reports whether a word names one thing of many: a module, a file, a
// resource, a port. Two errors of the same kind with different names have
// different causes.
func (t token) names() bool {
	if t.code() || digits(strings.ReplaceAll(t.text, ".", "")) && !port(t.text) {
		return false
	}
	if t.quoted && !common[t.folded] {
		return strings.ContainsFunc(t.text, unicode.IsLetter) || port(t.text)
	}
	return port(t.text) || strings.ContainsAny(t.text, "_/") || strings.Contains(strings.Trim(t.text, "."), ".") && strings.ContainsFunc(t.text, unicode.IsLetter)
}

// port reports whether a word is a number of four or five digits, as ports are.
func port(word string) bool { return digits(word) && len(word) >= 4 && len(word) <= 5 }

// parts are what a name consists of.
func (t token) parts() []string {
	var out []string
	for _, p := range strings.FieldsFunc(t.folded, func(r rune) bool { return strings.ContainsRune("_/.:-@", r) }) {
		if len(p) < 3 || common[p] || digits(p) {
			continue
		}
		out = append(out, p)
		if kind := numbered(p); kind != p {
			out = append(out, kind)
		}
	}
	return out
}

// numbered is a name without the number of one or two digits that tells a device, disk or worker
// from its neighbours, which fail alike: "dev/ttyusb" for dev/ttyusb0 and dev/ttyusb1. Three
// letters before the number keep error codes as they are.
func numbered(name string) string {
	kind := strings.TrimRight(name, "0123456789")
	if n := len(name) - len(kind); n == 0 || n > 2 || len(kind) < 3 || !letters(kind[len(kind)-3:]) {
		return name
	}
	return kind
}

// kin is what a word is compared by in a row of words: a place without the number of one of its kind.
func kin(folded string) string {
	if !strings.Contains(folded, "/") {
		return folded
	}
	return numbered(folded)
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// generic are errors that have a thousand causes: what they name tells.
var generic = setOf(`assertionerror assertionfailederror runtimeerror valueerror typeerror keyerror attributeerror nameerror referenceerror syntaxerror
	modulenotfounderror importerror filenotfounderror ioerror oserror exception error nullpointerexception illegalstateexception illegalargumentexception
	eaddrinuse econnrefused enoent eacces etimedout enotfound eperm e0308 e0425 e0432 e0433 ts2304 ts2322 ts2339 ts2345 ts2307 cs0103 cs0246 operationalerror`)

// common are the words of every other error.
var common = setOf(`error fail failed failure failing fatal exit code status not found cannot could unable invalid missing unknown undefined unexpected expected received got want
	line file path directory folder such type value name named string number object argument option command process task test build run running version
	warning info debug trace panic exception caused cause by module package import export function method class field key id main source target default
	message detail detail: operation request response server client connection connect connecting host port address already use used using in during
	permission denied access refused reset timed timeout time out memory while when after before because since try tried again retry attempt
	assigned never always exist exists existing does did must should can has have been was were is are the this that with without from to
	install installed update updated upgrade download downloaded upload add added remove removed create created delete deleted open opened close closed
	read write load loaded start started stop stopped end ended show set get change changed local remote new old current first last next one two
	fix fixed user see help more all any no none null true false empty line: column row text data byte bytes kb mb gb ms second minute hour day`)
