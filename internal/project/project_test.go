package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"git@github.com:me/app.git":                       "github.com/me/app",
		"github.com:me/app":                               "github.com/me/app",
		"git@GitHub.com:/me/app.git/":                     "github.com/me/app",
		"https://github.com/me/app":                       "github.com/me/app",
		"https://GITHUB.com/me/app.git":                   "github.com/me/app",
		"https://me:ghp_secret@github.com/me/app.git":     "github.com/me/app",
		"https://ghp_secret@github.com/me/app?x=y#z":      "github.com/me/app",
		"ssh://git@github.com:22/me/app.git":              "github.com/me/app",
		"ssh://git@[::1]:22/me/app.git":                   "::1/me/app",
		"git://git.example.org/deep/group/app.git":        "git.example.org/deep/group/app",
		"git+ssh://git@example.org/~me/app":               "example.org/~me/app",
		"https://dev.azure.com/org/My%20Project/_git/a":   "dev.azure.com/org/My Project/_git/a",
		"  https://github.com/me/app.git\n":               "github.com/me/app",
		"https://github.com/../../me//app":                "github.com/me/app",
		"":                                                "",
		"/srv/git/app.git":                                "",
		"../app":                                          "",
		"file:///srv/git/app.git":                         "",
		`C:\src\app`:                                      "",
		"https://github.com/":                             "",
		"https://%zz/x":                                   "",
		"host:":                                           "",
		"https://example.org/" + strings.Repeat("x", 300): "",
	} {
		if got := Normalize(remote); got != want {
			t.Errorf("%q is %q, want %q", remote, got, want)
		}
	}
}

func TestRemoteURL(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ config, want string }{
		"origin":      {"[core]\n\turl = no\n[remote \"up\"]\n\turl = a:b/u\n[remote \"origin\"]\n\tfetch = x\n\turl = a:b/o\n", "a:b/o"},
		"first":       {"[remote \"up\"]\nurl=a:b/u\n[remote \"other\"]\nurl=a:b/x\n", "a:b/u"},
		"first url":   {"[remote \"origin\"]\nurl=a:b/1\nurl=a:b/2\n", "a:b/1"},
		"none":        {"[branch \"main\"]\n\tremote = origin\n", ""},
		"quoted":      {"[remote \"origin\"]\n url = \"a:b/#o;\" # mine\n", "a:b/#o;"},
		"comment":     {"; x\n# [remote \"origin\"]\n[remote \"origin\"]\n url = a:b/o ; mine\n", "a:b/o"},
		"cases, CRLF": {"\uFEFF[Remote \"origin\"]\r\n URL = a:b/o\r\n", "a:b/o"},
		"joined":      {"[remote \"origin\"]\n url = a:b\\\n/o\n", "a:b/o"},
		"pushurl":     {"[remote \"origin\"]\n pushurl = a:b/p\n", ""},
		"broken":      {"[remote \"origin\n url\n=\n[", ""},
	} {
		if got := remoteURL(tc.config); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// write makes a file with its folders.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// gitDir makes what git's own test asks for.
func gitDir(t *testing.T, dir, config string) {
	t.Helper()
	write(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, "config"), config)
	for _, sub := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

const withRemote = "[remote \"origin\"]\n\turl = https://tok:en@Example.org/me/app.git\n"

func TestIdentify(t *testing.T) { // not parallel: sets HOME
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(base, "home"))
	at := func(parts ...string) string { return filepath.Join(append([]string{base}, parts...)...) }
	gitDir(t, at("clone", ".git"), withRemote)
	write(t, at("clone", "deep", "er", "x"), "")
	gitDir(t, at("plain", ".git"), "[core]\n")
	write(t, at("plain", "sub", "x"), "")
	// A linked worktree of each.
	for _, of := range []string{"clone", "plain"} {
		write(t, at(of, ".git", "worktrees", "w", "commondir"), "../..\n")
		write(t, at("w-"+of, ".git"), "gitdir: "+at(of, ".git", "worktrees", "w")+"\n")
		write(t, at("w-"+of, "sub", "x"), "")
	}
	// A submodule with a relative pointer, with and without a remote.
	gitDir(t, at("clone", ".git", "modules", "lib"), "[remote \"origin\"]\n url = git@example.org:me/lib\n")
	write(t, at("clone", "lib", ".git"), "gitdir: ../.git/modules/lib\n")
	gitDir(t, at("clone", ".git", "modules", "own"), "")
	write(t, at("clone", "own", ".git"), "gitdir: ../.git/modules/own\n")
	gitDir(t, at("bare.git"), withRemote)
	gitDir(t, at("bare2.git"), "")
	write(t, at("broken", ".git"), "gitdir: /no/such\n")
	write(t, at("empty", ".git", "x"), "")
	write(t, at("home", "notes", "x"), "")
	gitDir(t, at("home", "repo", ".git"), "")
	if err := os.Symlink(at("home", "notes"), at("link")); err != nil {
		t.Fatal(err)
	}

	for dir, want := range map[string]string{
		at("clone"):              "example.org/me/app",
		at("clone", "deep/er"):   "example.org/me/app",
		at("clone", ".git"):      "example.org/me/app",
		at("w-clone"):            "example.org/me/app",
		at("w-clone", "sub"):     "example.org/me/app",
		at("clone", "lib"):       "example.org/me/lib",
		at("clone", "own"):       at("clone", "own"),
		at("plain", "sub"):       at("plain"),
		at("w-plain", "sub"):     at("plain"),
		at("bare.git"):           "example.org/me/app",
		at("bare2.git", "refs"):  at("bare2.git"),
		at("broken"):             at("broken"),
		at("empty"):              at("empty"),
		at("home"):               "~",
		at("home", "notes"):      "~/notes",
		at("home", "repo"):       "~/repo",
		at("link"):               "~/notes",
		at("no", "such", "path"): at("no", "such", "path"),
	} {
		if got := Identify(dir); got != want {
			t.Errorf("%s is %q, want %q", dir, got, want)
		}
	}
}

// FuzzConfig checks that no config panics and that an identity never carries
// credentials or control characters.
func FuzzConfig(f *testing.F) {
	f.Add(withRemote)
	f.Add("[remote \"origin\"]\n url = git@h:o/r.git\n")
	f.Add("[remote \"x\\\"]\nurl = \"\\")
	f.Fuzz(func(t *testing.T, config string) {
		name := Normalize(remoteURL(config))
		host, _, _ := strings.Cut(name, "/")
		if len(name) > maxName || strings.ContainsAny(name, "\n\r\x00") || strings.Contains(host, "@") {
			t.Fatalf("%q is %q", config, name)
		}
		if again := Normalize("https://" + name); name != "" && strings.Count(again, "/") > strings.Count(name, "/") {
			t.Fatalf("%q became %q", name, again)
		}
	})
}
