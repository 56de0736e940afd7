package failure

import (
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/shell"
)

func TestSignature(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, command, text, want string }{
		{
			"go compile", "go build ./...",
			"# example.org/shop/cart\ncart/cart.go:14:9: undefined: Total\ncart/cart.go:20:2: missing return\n",
			"go build: cart/cart.go: undefined: Total; cart/cart.go: missing return",
		},
		{
			"go test", "go test ./cart",
			"=== RUN   TestTotal\n--- FAIL: TestTotal (0.03s)\n    cart_test.go:31: got 12, want 13\nFAIL\nFAIL\texample.org/shop/cart\t0.031s\nFAIL\n",
			"go test: FAIL: TestTotal",
		},
		{
			"npm missing module", "npm run start",
			"Exit code 1\n> shop@2.0.0 start\n> node index.js\n\nnode:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module '/home/ann/shop/node_modules/express/index.js'\nRequire stack:\n- /home/ann/shop/index.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1145:15)\n  code: 'MODULE_NOT_FOUND',\nNode.js v20.11.0\n",
			"npm run start: Error: Cannot find module 'index.js'",
		},
		{
			"npm resolve", "npm ci",
			"npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE could not resolve\nnpm ERR! While resolving: react-dom@18.2.0\nnpm ERR! A complete log of this run can be found in: /home/ann/.npm/_logs/2026-01-02T10_11_12_345Z-debug-0.log\n",
			"npm install: code ERESOLVE; ERESOLVE could not resolve",
		},
		{
			"pytest", "pytest -q",
			"F.\n=========== FAILURES ===========\n____ test_tax ____\n\n    def test_tax():\n>       assert tax(100) == 19\nE       assert 16 == 19\nE        +  where 16 = tax(100)\n\ntests/test_tax.py:5: AssertionError\n==== short test summary info ====\nFAILED tests/test_tax.py::test_tax - assert 16 == 19\n1 failed, 1 passed in 0.12s\n",
			"pytest: assert ==; FAILED tests/test_tax.py::test_tax - assert ==",
		},
		{
			"traceback", "python3 load.py",
			"Traceback (most recent call last):\n  File \"/home/ann/load.py\", line 3, in <module>\n    import pandas\nModuleNotFoundError: No module named 'pandas'\n",
			"python load.py: ModuleNotFoundError: No module named 'pandas'",
		},
		{
			"cargo", "cargo build",
			"   Compiling feeds v0.1.0 (/home/ann/feeds)\nerror[E0308]: mismatched types\n  --> src/main.rs:8:13\n   |\n8  |     let x: u8 = \"a\";\n   |            --   ^^^ expected `u8`, found `&str`\n\nerror: could not compile `feeds` (bin \"feeds\") due to 1 previous error\n",
			"cargo build: error[E0308]: mismatched types",
		},
		{
			"gcc", "make",
			"cc -c main.c\nmain.c:7:10: fatal error: zlib.h: No such file or directory\n    7 | #include <zlib.h>\n      |          ^~~~~~~~\ncompilation terminated.\nmake: *** [Makefile:4: main.o] Error 1\n",
			"make: main.c: fatal error: zlib.h: No such file or directory",
		},
		{
			"linker", "gcc main.o",
			"/usr/bin/ld: main.o: in function `main':\nmain.c:(.text+0x1a): undefined reference to `sqrt'\ncollect2: error: ld returned 1 exit status\n",
			"gcc: main.c:(.text+): undefined reference to `sqrt'",
		},
		{
			"port", "npm start", "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle [as _listen2] (node:net:1463:16)\n",
			"npm start: Error: listen EADDRINUSE: address already in use :::3000",
		},
		{"typescript", "npx tsc", "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n", "tsc: src/a.ts: error TS2322: Type 'string' is not assignable to type 'number'."},
		{"no tool", "", "File does not exist. Note: your current working directory is /home/ann/shop.", "File does not exist. Note: your current working directory is shop."},
		{"colours", "terraform plan", "\x1b[31m│\x1b[0m \x1b[1mError: \x1b[0mInvalid provider configuration\n", "terraform plan: Error: Invalid provider configuration"},
		{"nothing", "go test", "", ""},
		{"only noise", "make", "make: *** [Makefile:2: all] Error 1\n", ""},
	} {
		got := Signature(c.command, c.text)
		if got.Query != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got.Query, c.want)
		}
	}
}

// The same error elsewhere has the same signature.
func TestSignatureIsStable(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"temp folder": {
			"Error: ENOENT: no such file or directory, open '/tmp/run-81723/first/cfg.yaml'",
			"Error: ENOENT: no such file or directory, open '/tmp/run-9/other/cfg.yaml'",
		},
		"address": {"panic: runtime error: invalid memory address 0xc000123456", "panic: runtime error: invalid memory address 0x0"},
		"time":    {"2026-01-02T10:11:12Z ERROR dial tcp 10.0.0.4:5432: connection refused (took 31ms)", "2026-03-04T01:02:03Z ERROR dial tcp 10.9.0.7:5432: connection refused (took 2s)"},
		"uuid":    {"error: job 3f2504e0-4f89-41d3-9a0c-0305e82c3301 failed after 12 attempts", "error: job 9d2504e0-4f89-41d3-9a0c-0305e82c33ff failed after 3 attempts"},
		"line":    {"app.py:10: TypeError: unsupported operand", "app.py:99: TypeError: unsupported operand"},
	} {
		a, b := Signature("", pair[0]), Signature("", pair[1])
		if a.Query != b.Query || a.Empty() {
			t.Errorf("%s: %q and %q", name, a.Query, b.Query)
		}
	}
	if a, b := Signature("", "dial tcp 10.0.0.4:5432: connection refused"), Signature("", "dial tcp 10.0.0.4:6379: connection refused"); a.Query == b.Query {
		t.Errorf("ports tell services apart, both are %q", a.Query)
	}
}

func TestHidesFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command, output string
		want            bool
	}{
		{"go test ./... | tail", "--- FAIL: TestX (0.00s)\nFAIL\n", true},
		{"go test ./...", "ok  \texample.org/x\t0.1s\n", false},
		{"cargo test || true", "test result: FAILED. 1 passed; 1 failed", true},
		{"cargo test", "test result: ok. 3 passed; 0 failed", false},
		{"npx jest | cat", "Tests:       1 failed, 2 passed, 3 total", true},
		{"npx jest", "Tests:       3 passed, 3 total", false},
		{"pytest | tail -1", "===== 1 failed, 3 passed in 0.10s =====", true},
		{"pytest", "===== 4 passed in 0.10s =====", false},
		{"cat ci.log", "--- FAIL: TestX (0.00s)\nFAIL\tx", false},
		{"grep -r FAIL . | head", "FAIL\tx", false},
		{"make -k all; echo done", "make: *** [Makefile:3: a.o] Error 1", true},
		{"", "FAIL\tx", false},
	} {
		if got := Hides(c.command, c.output); got != c.want {
			t.Errorf("%q %q: %v", c.command, c.output, got)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add("go test ./... | tail", "--- FAIL: TestX (0.00s)\n x_test.go:3: got 1, want 2")
	f.Add("npm ci", "npm ERR! code ERESOLVE\nnpm ERR! 12:13:14 1.2.3.4:80")
	f.Add("cat <<E", "\x1b[31merror\x1b[0m: 0xdeadbeef \xff\xfe")
	f.Fuzz(func(t *testing.T, command, text string) {
		s := Signature(command, text)
		if len(s.Lines) > 2 || len(strings.Join(s.Lines, "")) > 2*maxTelling {
			t.Errorf("too long: %q", s.Lines)
		}
		if slices.Contains(s.Lines, "") {
			t.Errorf("an empty line in %q", s.Lines)
		}
		Hides(command, text)
		if len(shell.Kinds(command)) > 0 && !shell.SameKind(command, command) {
			t.Errorf("%q is not of its own kind", command)
		}
	})
}

func BenchmarkSignature(b *testing.B) {
	wall := strings.Repeat("ok  \texample.org/shop/cart\t0.1s\n    some output of a test at 12:13:14\n", 400) + "--- FAIL: TestX (0.00s)\n    x_test.go:3: got 1, want 2\nFAIL\n"
	b.SetBytes(int64(len(wall)))
	for b.Loop() {
		Signature("go test ./...", wall)
	}
}
