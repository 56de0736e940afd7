package redact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/internal/redact"
)

const claudeMD = "# Project\nNever store e-mail addresses here either, this is no privacy section: `x+`\n" +
	"## Privacy rules\n" +
	"Never store phone numbers or health data.\n" +
	"- ticket: `ACME-\\d+`\n" +
	"* /proj(?:ect)? falcon/i\n" +
	"- IP addresses\n" +
	"- dates of birth may be stored\n" +
	"- customer names must not be stored\n" +
	"- broken: `([a-z`\n" +
	"- all: `.*`\n" +
	"### Deeper\n" +
	"| Host | `[a-z]+\\.corp\\.example` |\n" +
	"```\n# a comment\nbadge: B-\\d{4}\nVIP-\\w+\n## Not a heading\n```\n" +
	"## Build\n- `make all`\n"

func TestParseClaudeMD(t *testing.T) {
	t.Parallel()
	rules, warnings, err := redact.ParseClaudeMD(strings.NewReader(claudeMD))
	if err != nil {
		t.Fatal(err)
	}
	want := []redact.Rule{
		{Kind: "phone"},
		{Kind: "health"},
		{Kind: "medical-record"},
		{Kind: "ticket", Expr: `ACME-\d+`},
		{Kind: "custom", Expr: `(?i)proj(?:ect)? falcon`},
		{Kind: "ip-address"},
		{Kind: "date-of-birth", Keep: true},
		{Kind: "host", Expr: `[a-z]+\.corp\.example`},
		{Kind: "badge", Expr: `B-\d{4}`},
		{Kind: "custom", Expr: `VIP-\w+`},
	}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	var lines []int
	for _, w := range warnings {
		lines = append(lines, w.Line)
	}
	if diff := cmp.Diff([]int{9, 10, 11}, lines); diff != "" {
		t.Errorf("lines of warnings (-want +got):\n%s\n%v", diff, warnings)
	}

	r, err := redact.New(redact.Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Redact("ACME-77 on db.corp.example at 10.1.2.3 by VIP-kim, born on 1980-05-06, Project Falcon, B-1234")
	const text = "[redacted:ticket] on [redacted:host] at [redacted:ip-address] by [redacted:custom], born on 1980-05-06, [redacted:custom], [redacted:badge]"
	if got.Text != text {
		t.Errorf("got  %q\nwant %q", got.Text, text)
	}
}

func TestSecretsCannotBeSwitchedOff(t *testing.T) {
	t.Parallel()
	for _, k := range []redact.Kind{redact.KindPassword, redact.KindPrivateKey, "github-pat", "nonsense"} {
		if _, err := redact.New(redact.Options{Disable: []redact.Kind{k}}); err == nil {
			t.Errorf("%s was switched off", k)
		}
	}
}

// writeFiles makes files, and the folders that they stand in.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadClaudeMD(t *testing.T) {
	t.Parallel()
	home, outside := t.TempDir(), t.TempDir()
	repository := filepath.Join(outside, "repository")
	start := filepath.Join(repository, "services", "api")
	user, root, local := filepath.Join(home, ".claude", "CLAUDE.md"), filepath.Join(repository, "CLAUDE.md"), filepath.Join(start, "CLAUDE.local.md")
	writeFiles(t, map[string]string{
		user:                                "# Privacy\n- phone numbers may be stored\n- `(`\n",
		filepath.Join(outside, "CLAUDE.md"): "# Privacy\n- ticket: `OUTSIDE-\\d+`\n",
		filepath.Join(repository, ".git"):   "gitdir: elsewhere\n",
		root:                                "# Privacy\n- ticket: `ACME-\\d+`\n- all: `\\w+`\n",
		local:                               "# PRIVACY\n- e-mail addresses may be stored\n- badge: `B-\\d+`\n",
	})
	rules, warnings, err := redact.LoadClaudeMD(home, start)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(start, 0o700); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, w := range warnings {
		said = append(said, w.String())
	}
	want := []string{user + ":3: ", root + ":3: ", local + ": a project cannot allow \"email\""}
	if len(said) != len(want) {
		t.Fatalf("warnings %q", said)
	}
	for i := range want {
		if !strings.HasPrefix(said[i], want[i]) {
			t.Errorf("warning %q, want it to begin %q", said[i], want[i])
		}
	}
	r, err := redact.New(redact.Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	const text = "ACME-1, OUTSIDE-2, B-3 of jana@corp.net, +49 170 1234567"
	const redacted = "[redacted:ticket], OUTSIDE-2, [redacted:badge] of [redacted:email], +49 170 1234567"
	if got := r.Redact(text); got.Text != redacted {
		t.Errorf("got %q", got.Text)
	}
}

// Outside a repository the folders above are somebody else's.
func TestLoadClaudeMDOutsideARepository(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	dir := filepath.Join(above, "project")
	writeFiles(t, map[string]string{
		filepath.Join(above, "CLAUDE.md"): "# Privacy\n- ticket: `ACME-\\d+`\n",
		filepath.Join(dir, "CLAUDE.md"):   "# Privacy\n- badge: `B-\\d+`\n",
	})
	rules, warnings, err := redact.LoadClaudeMD("", dir)
	if err != nil || len(warnings) > 0 || len(rules) != 1 || rules[0].Kind != "badge" {
		t.Errorf("rules %v, warnings %v, error %v", rules, warnings, err)
	}
}

func FuzzParseClaudeMD(f *testing.F) {
	f.Add(claudeMD)
	f.Add("# privacy\n```\n(?P<a>x)\n")
	f.Add("# Privacy\n| a | /x/gims |\n- `" + strings.Repeat("a{1000}", 200) + "`")
	f.Fuzz(func(t *testing.T, text string) {
		rules, _, err := redact.ParseClaudeMD(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := redact.New(redact.Options{Rules: rules}); err != nil {
			t.Errorf("New refuses what ParseClaudeMD returned: %v", err)
		}
	})
}
