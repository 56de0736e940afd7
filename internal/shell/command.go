// Package shell names what shell commands do, so that two that try the same
// thing are known for it whatever their arguments, folder or pipe.
package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// subcommands are programs of which the first words say the task: how many
// words after the name belong to it.
var subcommands = map[string]int{
	"go": 1, "cargo": 1, "npm": 1, "pnpm": 1, "yarn": 1, "bun": 1, "deno": 1, "git": 1, "docker": 1,
	"kubectl": 1, "helm": 1, "terraform": 1, "make": 1, "just": 1, "task": 1, "pip": 1, "poetry": 1, "uv": 1,
	"gradle": 1, "mvn": 1, "bundle": 1, "rails": 1, "rake": 1, "dotnet": 1, "mix": 1, "composer": 1, "php": 1,
	"swift": 1, "flutter": 1, "brew": 1, "apt": 1, "apt-get": 1, "systemctl": 1, "gh": 2, "gcloud": 2, "aws": 2,
	"bazel": 2, "sbt": 1, "zig": 1, "stack": 1, "cabal": 1, "nx": 1, "turbo": 1, "ansible-playbook": 1,
}

// interpreters run the file or module that follows them.
var interpreters = []string{"python", "node", "ruby", "perl", "bash", "sh", "zsh", "deno", "tsx", "ts-node", "php"}

// wrappers run what follows them; the figure counts the words they take themselves.
var wrappers = map[string]int{
	"sudo": 0, "time": 0, "env": 0, "nice": 0, "nohup": 0, "exec": 0, "command": 0, "npx": 0, "xvfb-run": 0,
	"timeout": 1, "stdbuf": 0, "caffeinate": 0, "bunx": 0, "doas": 0,
}

// runners are programs with a subcommand that runs what follows.
var runners = []string{"poetry run", "uv run", "bundle exec", "pnpm exec", "pnpm dlx", "yarn dlx", "npm exec", "pipenv run", "rye run"}

// onlyReads are programs that change nothing and prove nothing.
var onlyReads = []string{
	"cat", "ls", "head", "tail", "grep", "rg", "find", "fd", "wc", "sed", "awk", "echo", "printf", "pwd", "which", "whereis",
	"type", "stat", "file", "tree", "less", "more", "sort", "uniq", "cut", "tr", "xargs", "diff", "cmp", "jq", "yq", "date",
	"whoami", "id", "env", "printenv", "ps", "top", "df", "du", "free", "uname", "hostname", "test", "[", "true", "false",
	"sleep", "cd", "pushd", "popd", "export", "set", "source", ".", "unset", "tee", "column", "nl", "basename", "dirname", "realpath",
	"readlink", "lsof", "ss", "netstat", "history", "alias", "man", "help", "column", "strings", "hexdump", "xxd", "md5sum", "sha256sum",
	"git status", "git log", "git diff", "git show", "git branch", "git blame", "git grep", "git remote", "git rev-parse", "git ls-files",
	"go list", "go env", "go version", "go doc", "npm ls", "npm view", "npm outdated", "pip show", "pip list", "pip freeze",
	"docker ps", "docker logs", "docker images", "docker inspect", "kubectl get", "kubectl describe", "kubectl logs", "gh pr view", "gh pr list",
	"gh run view", "gh run list", "gh issue view", "gh issue list",
}

// sameWord gives one name to the different names of a program or task.
var sameWord = map[string]string{
	"python3": "python", "python2": "python", "pip3": "pip", "nodejs": "node", "gradlew": "gradle", "mvnw": "mvn",
	"gmake": "make", "docker-compose": "docker compose", "py.test": "pytest",
	"npm t": "npm test", "npm i": "npm install", "npm ci": "npm install", "npm run test": "npm test", "pnpm i": "pnpm install",
	"pnpm t": "pnpm test", "pnpm run test": "pnpm test", "yarn run test": "yarn test", "yarn add": "yarn install",
	"npm add": "npm install", "pnpm add": "pnpm install", "cargo t": "cargo test", "cargo b": "cargo build", "cargo r": "cargo run",
}

var assignment = lexis.Lazy(`^[A-Za-z_][A-Za-z0-9_]*=`)

// Kinds returns what a shell command does, each task once, in order. What
// only reads, or moves about, is left out, unless there is nothing else.
func Kinds(command string) []string {
	var kinds, rest []string
	for _, pipeline := range split(command) {
		for _, words := range pipeline {
			kind := kindOf(words)
			if kind == "" {
				continue
			}
			if ReadsOnly(kind) {
				rest = append(rest, kind)
				continue
			}
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			break // the rest of a pipe filters
		}
	}
	if len(kinds) == 0 && len(rest) > 0 {
		return rest[len(rest)-1:]
	}
	return kinds
}

// Known reports whether a word is the name of a program that people build,
// test and run with.
func Known(word string) bool {
	_, ok := subcommands[word]
	return ok || slices.Contains(interpreters, word) || slices.Contains(tools, word)
}

// tools are further programs whose names stand in errors.
var tools = []string{
	"pytest", "jest", "vitest", "mocha", "playwright", "cypress", "webpack", "vite",
	"eslint", "tsc", "phpunit", "rspec", "dbt", "airflow", "psql", "mysql",
	"redis-cli", "ssh", "curl", "xcodebuild", "fastlane", "pod", "adb", "cmake",
	"ninja", "gcc", "clang", "rustc", "javac", "kotlinc", "terraform", "ansible",
	"podman", "conda",
}

// MainKind names a command in a few words: its last task.
func MainKind(command string) string { return Last(Kinds(command)) }

// Last returns the last of some tasks, "" when there is none.
func Last(kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	return kinds[len(kinds)-1]
}

// ReadsOnly reports whether a task changes nothing and proves nothing.
func ReadsOnly(kind string) bool {
	program, _, _ := strings.Cut(kind, " ")
	return slices.Contains(onlyReads, kind) || slices.Contains(onlyReads, program)
}

// SameKind reports whether command b tries all that command a tried: the same
// programs and tasks, whatever their arguments, environment, folder or pipe.
// "FOO=1 go test ./x" and "cd y && go test ./... | tail" are of one kind,
// "go test" and "go build" are not.
func SameKind(a, b string) bool {
	return Covers(Kinds(b), Kinds(a))
}

// Covers reports whether all of some tasks, at least one, are among others.
func Covers(all, some []string) bool {
	for _, kind := range some {
		if !slices.Contains(all, kind) {
			return false
		}
	}
	return len(some) > 0
}

// kindOf names one simple command.
func kindOf(words []string) string {
	words = unwrap(words)
	if len(words) == 0 {
		return ""
	}
	program := alias(path.Base(strings.ReplaceAll(words[0], `\`, "/")))
	args := plainArgs(words[1:])
	if program == "python" && len(words) > 2 && words[1] == "-m" {
		return kindOf(words[2:])
	}
	if strings.Contains(program, " ") { // docker compose
		return join(program, args, 1)
	}
	if slices.Contains(interpreters, program) && len(args) > 0 {
		return program + " " + path.Base(args[0])
	}
	n := subcommands[program]
	if len(args) > 0 && (args[0] == "run" || args[0] == "compose") && n > 0 {
		n++ // npm run build, go run ./cmd/x, docker compose up
	}
	return alias(join(program, args, n))
}

func join(program string, args []string, n int) string {
	for i := 0; i < n && i < len(args); i++ {
		program += " " + path.Base(args[i])
	}
	return program
}

func alias(name string) string {
	if same, ok := sameWord[name]; ok {
		return same
	}
	return name
}

// unwrap takes assignments and wrapping programs off the front.
func unwrap(words []string) []string {
	for len(words) > 0 {
		name := path.Base(words[0])
		own, wraps := wrappers[name]
		switch {
		case assignment.Match(words[0]):
			words = words[1:]
		case wraps && len(words) > 1+own:
			words = afterFlags(words[1:], valueFlags[name])
			words = words[min(own, len(words)):]
		case len(words) > 2 && slices.Contains(runners, name+" "+words[1]):
			words = afterFlags(words[2:], nil)
		default:
			return words
		}
	}
	return words
}

// valueFlags are flags of wrapping programs that take the next word.
var valueFlags = map[string][]string{
	"env": {"-u", "-C"}, "sudo": {"-u", "-g"}, "nice": {"-n"}, "timeout": {"-s", "-k"},
}

func afterFlags(words, withValue []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		n := 1
		if slices.Contains(withValue, words[0]) {
			n = min(2, len(words))
		}
		words = words[n:]
	}
	return words
}

// plainArgs are the arguments that are no flags and no redirections.
func plainArgs(words []string) []string {
	var out []string
	for _, w := range words {
		if w == "--" {
			break
		}
		if strings.HasPrefix(w, "-") || strings.ContainsAny(w, "<>") || strings.HasPrefix(w, "2>") || w == "&" {
			continue
		}
		out = append(out, w)
	}
	return out
}

// split takes a shell command apart at ; && || & and line ends, and each part
// at |, into words. It knows quotes and escapes, and stops at a here-document.
func split(command string) [][][]string {
	s := splitter{}
	for i := 0; i < len(command); i++ {
		if strings.HasPrefix(command[i:], "<<") && s.quote == 0 {
			break
		}
		i += s.take(command, i)
	}
	s.endPipeline()
	return s.out
}

type splitter struct {
	out      [][][]string
	pipeline [][]string
	words    []string
	word     strings.Builder
	has      bool // a word has begun, if only with a quote
	quote    byte
}

// take reads the byte at i and says how many more it used.
func (s *splitter) take(text string, i int) int {
	c := text[i]
	next := byte(0)
	if i+1 < len(text) {
		next = text[i+1]
	}
	switch {
	case s.quote != 0:
		if c == s.quote {
			s.quote = 0
			return 0
		}
		s.put(c)
	case c == '\'' || c == '"':
		s.quote, s.has = c, true
	case c == '\\' && next != 0:
		if next != '\n' {
			s.put(next)
		}
		return 1
	case c == '|' && next != '|':
		s.endCommand()
	case c == '&' && (next == '>' || (i > 0 && text[i-1] == '>')): // 2>&1, &>
		s.put(c)
	case c == ';' || c == '\n' || c == '&' || c == '|':
		s.endPipeline()
		if next == c {
			return 1
		}
	case c == ' ' || c == '\t' || c == '\r' || c == '(' || c == ')':
		s.endWord()
	default:
		s.put(c)
	}
	return 0
}

func (s *splitter) put(c byte) {
	s.word.WriteByte(c)
	s.has = true
}

func (s *splitter) endWord() {
	if s.has {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.has = false
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.words) > 0 {
		s.pipeline = append(s.pipeline, s.words)
	}
	s.words = nil
}

func (s *splitter) endPipeline() {
	s.endCommand()
	if len(s.pipeline) > 0 {
		s.out = append(s.out, s.pipeline)
	}
	s.pipeline = nil
}
