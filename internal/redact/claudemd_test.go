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

func TestLoadClaudeMD(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(home, ".claude", "CLAUDE.md"), filepath.Join(project, "CLAUDE.local.md")
	for path, text := range map[string]string{
		first:  "# Privacy\n- never store e-mail addresses\n- `(`\n",
		second: "# PRIVACY\n- e-mail addresses may be stored\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := redact.FindClaudeMD(home, project)
	if diff := cmp.Diff([]string{first, second}, found); diff != "" {
		t.Fatal(diff)
	}
	rules, warnings, err := redact.LoadClaudeMD(append(found, filepath.Join(home, "gone.md"))...)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || warnings[0].Line != 3 || !strings.HasPrefix(warnings[0].Text, first) {
		t.Errorf("warnings %v", warnings)
	}
	r, err := redact.New(redact.Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	const text = "write to jana@corp.net"
	if got := r.Redact(text); got.Text != text {
		t.Errorf("the project's word is not the last: %q", got.Text)
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
