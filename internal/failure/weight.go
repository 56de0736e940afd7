package failure

import (
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// world are the errors of a place and its tools, which come again.
var world = lexis.Table{
	{`command not found`, "bash: jq: command not found"},
	{`no such file`, "open a.yml: no such file or directory"},
	{`cannot find module`, "Error: Cannot find module 'zod'"},
	{`modulenotfound`, "ModuleNotFoundError: No module named 'a'"},
	{`no module named`, "python: No module named pytest"},
	{`address already in use`, "listen tcp :80: bind: address already in use"},
	{`eaddrinuse`, "EADDRINUSE :::3100"},
	{`permission denied`, "/var/run/docker.sock: permission denied"},
	{`eacces`, "EACCES: mkdir '/usr/lib'"},
	{`connection refused`, "dial tcp: connect: connection refused"},
	{`econnrefused`, "connect ECONNREFUSED 127.0.0.1:5432"},
	{`not installed`, "ext-curl is not installed"},
	{`version`, "Unsupported class file major version 66"},
	{`incompatible`, "schema is incompatible"},
	{`unsupported`, "unsupported platform"},
	{`undefined reference`, "undefined reference to SSL_new"},
	{`timed? ?out`, "Command timed out after 2m"},
	{`deadline exceeded`, "context deadline exceeded"},
	{`certificate`, "x509: certificate signed by unknown authority"},
	{`no space left`, "no space left on device"},
	{`out of memory`, "CUDA out of memory"},
	{`lock(?:ed| file|file)`, "database is locked"},
	{`missing go.sum`, "missing go.sum entry"},
	{`unable to resolve`, "unable to resolve dependency tree"},
	{`eresolve`, "npm ERR! code ERESOLVE"},
	{`peer dep`, "conflicting peer dependency"},
	{`does not exist`, "relation \"a\" does not exist"},
	{`not found`, "pkg-config: not found"},
	{`unauthorized`, "401 Unauthorized"},
	{`forbidden`, "403 Forbidden"},
	{`authentication`, "password authentication failed"},
	{`cgo`, "-race requires cgo"},
	{`shared librar`, "error while loading shared libraries"},
	{`toolchain`, "toolchain 1.80 is not installed"},
	{`engine`, "The engine \"node\" is incompatible"},
	{`migration`, "pending migration"},
	{`race detected`, "race detected during execution of test"},
	{`data race`, "WARNING: DATA RACE"},
}

// typing are the errors of code that was just being written, which do not.
var typing = lexis.Table{
	{`^error\[e\d+\]`, "error[E0308]: mismatched types"},
	{`undefined: `, "undefined: retry.Do"},
	{`declared and not used`, "x declared and not used"},
	{`imported and not used`, "\"os\" imported and not used"},
	{`cannot use .* as `, "cannot use x as string"},
	{`syntax error`, "syntax error near }"},
	{`unexpected token`, "SyntaxError: Unexpected token"},
	{`expected [';),]`, "expected ';', found x"},
	{`mismatched types`, "mismatched types"},
	{`is not assignable to`, "Type 'a' is not assignable to type 'b'"},
	{`has no field or method`, "x has no field or method Y"},
	{`too many arguments`, "too many arguments in call"},
	{`not enough arguments`, "not enough arguments in call"},
	{`missing return`, "missing return"},
	{`cannot find name`, "Cannot find name 'x'"},
	{`property .* does not exist on type`, "Property 'x' does not exist on type 'Y'"},
	{`indentationerror`, "IndentationError: unexpected indent"},
	{`unused (?:variable|import)`, "unused variable: `x`"},
	{`nomethoderror`, "NoMethodError: undefined method"},
	{`undefined method`, "undefined method 'x'"},
	{`nameerror`, "NameError: name 'x' is not defined"},
	{`attributeerror`, "AttributeError: no attribute 'x'"},
	{`referenceerror`, "ReferenceError: x is not defined"},
	{`is not a function`, "x is not a function"},
	{`is not defined`, "x is not defined"},
	{`undefined local variable`, "undefined local variable"},
	{`\bno-[a-z]+(?:-[a-z]+)*$`, "'x' is never used  no-unused-vars"},
	{`\blint\b`, "lint failed"},
}

// asserting are tests that fail: most of them are meant to, at first.
var asserting = lexis.Table{
	{`assert`, "AssertionError: 3 != 4"},
	{`--- FAIL`, "--- FAIL: TestTotal"},
	{`expected .*(?:got|but|received|to)\b`, "expected 3 but was 4"},
	{`\bgot\b.*\bwant\b`, "got 3, want 4"},
	{`\bwant\b.*\bgot\b`, "want 3, got 4"},
	{`FAILED .*::`, "FAILED tests/a.py::test_b"},
	{`● `, "● Cart › adds"},
}

var ofWorld, ofTyping, ofTests = lexis.Anywhere(world), lexis.Anywhere(typing), lexis.Anywhere(asserting)

// Weight says what an error is worth remembering, to be added to a score
// between 0 and 1: more for those of a place and its tools, less for those of
// code that was just being written.
func Weight(sig Sig, output string) float64 {
	told := strings.Join(sig.Lines, "\n")
	switch {
	case ofWorld.Match(told):
		return 0.2
	case ofTyping.Match(told):
		return -0.3
	case ofTests.Match(told):
		return -0.08
	case ofWorld.Match(Shorten(output)):
		return 0.08
	}
	return 0.04
}

// Passing reports whether an error is of code or a test that is being written.
func Passing(sig Sig) bool { return Weight(sig, "") < 0 }
