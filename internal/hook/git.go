package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// The bounds of looking at a repository.
const (
	gitTimeout   = 250 * time.Millisecond // a repository that is slower is described by its name
	gitRest      = 100 * time.Millisecond // to read what a git that has ended, or was ended, had printed
	maxFiles     = 8
	maxGitOutput = 16 << 10
)

// facts are what a repository says about the work at hand.
type facts struct {
	branch  string
	commits []string // subjects, latest first: of the branch, or the newest of a main branch
	files   []string // changed since the last commit
}

// repository asks git. Without git, outside a repository and where git is slow
// the facts that are missing are empty.
func repository(ctx context.Context, dir string, env func(string) string) facts {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	var f facts
	var staged, changed, own, newest []string
	ask := func(into *[]string, args ...string) func() {
		return func() { *into, _ = git(ctx, dir, env, args...) }
	}
	var branch []string
	// Plumbing that compares trees, times and sizes: it changes nothing.
	all(
		ask(&branch, "symbolic-ref", "--short", "-q", "HEAD"),
		ask(&own, append(subjects("4"), notOnMain()...)...),
		ask(&newest, subjects("2")...),
		ask(&staged, "diff-index", "--cached", "--name-only", "--ignore-submodules", "HEAD"),
		func() {
			if filtered(ctx, dir, env) {
				return
			}
			changed, _ = git(ctx, dir, env, "diff-files", "--name-only", "--ignore-submodules")
		},
	)
	f.branch = first(branch)
	f.commits = own
	if mainBranch(f.branch) {
		f.commits = newest
	}
	f.files = append(staged, changed...)
	slices.Sort(f.files)
	f.files = slices.Compact(f.files)
	f.files = f.files[:min(len(f.files), maxFiles)]
	return f
}

// subjects asks for the subjects of the newest commits.
func subjects(most string) []string {
	return []string{"log", "-n", most, "--no-show-signature", "--no-merges", "--format=%s", "HEAD"}
}

func mainNames() []string { return []string{"main", "master", "trunk", "develop"} }

// mainBranch reports whether a branch has no subject of its own.
func mainBranch(name string) bool {
	return name == "" || name == "HEAD" || slices.Contains(mainNames(), name)
}

// notOnMain leaves out what a main branch has, here or at the origin: the rest is the branch's
// own work. The brackets keep git from reading the name as a folder of branches.
func notOnMain() []string {
	out := []string{"--not"}
	for _, name := range mainNames() {
		pattern := "[" + name[:1] + "]" + name[1:]
		out = append(out, "--branches="+pattern, "--remotes=*/"+pattern)
	}
	return out
}

// all runs functions side by side and waits for them. A function that panics
// counts as one without findings: in a goroutine of its own it would end the
// process with a status that Claude Code reads as "block".
func all(do ...func()) {
	var wg sync.WaitGroup
	for _, f := range do {
		wg.Go(func() {
			defer func() { _ = recover() }()
			f()
		})
	}
	wg.Wait()
}

// filtered reports whether the settings that came with a repository name
// programs that files are passed through. They would be run on files that were
// written in the same moment as the index; the user's own settings are trusted.
func filtered(ctx context.Context, dir string, env func(string) string) bool {
	lines, err := git(ctx, dir, env, "config", "--includes", "--show-scope", "--get-regexp", `^filter\.`)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false // there are none
	}
	return err != nil || slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "local") || strings.HasPrefix(l, "worktree")
	})
}

// emptyTree is the id that git has for a tree without files. Attributes are read from it
// instead of the repository's own .gitattributes, which could name a program for git to pass
// files through. A git before 2.43 ignores that, and asks [filtered] alone.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// git returns the lines that a git command prints.
func git(ctx context.Context, dir string, env func(string) string, args ...string) ([]string, error) {
	args = append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--no-pager"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = []string{
		"PATH=" + env("PATH"), "HOME=" + env("HOME"), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", // what is missing is not fetched
		"GIT_ATTR_SOURCE=" + emptyTree,
	}
	cmd.Dir = os.TempDir() // git finds its own way by -C; the session's folder may be gone
	cmd.WaitDelay = gitRest
	var out bounded
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("ask git: %w", err)
	}
	return strings.FieldsFunc(string(out.data), func(r rune) bool { return r == '\n' || r == 0 }), nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ data []byte }

func (b *bounded) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), maxGitOutput-len(b.data))]...)
	return len(p), nil
}

var (
	// commitKind is the kind of a change by convention, which says nothing about its subject.
	commitKind   = regexp.MustCompile(`^(?:feat|fix|chore|docs|refactor|test|build|ci|perf|style|revert)\b`)
	commitMark   = regexp.MustCompile(`[():!]+`)
	ticket       = regexp.MustCompile(`\b[A-Z][A-Z0-9]+-\d+\b`)
	humps        = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
	branchPrefix = regexp.MustCompile(`^(feature|feat|fix|bugfix|hotfix|chore|docs|refactor|test|release|wip)s?/`)
	nameMarks    = regexp.MustCompile(`[/_.-]+`)
)

// maxQueries bounds what is asked when a session starts: each question takes its time.
const maxQueries = 6

// queries returns what to ask the memory for, the most telling first. They are asked apart,
// because one text about everything is near to nothing. The project's own name is not asked
// for: every memory of a project may contain it.
func (f facts) queries() []string {
	var out []string
	ask := func(text string) {
		text = strings.Join(strings.Fields(text), " ")
		if text != "" && len(out) < maxQueries && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if !mainBranch(f.branch) {
		ask(ticket.FindString(f.branch))
		name := ticket.ReplaceAllString(branchPrefix.ReplaceAllString(f.branch, ""), "")
		ask(nameMarks.ReplaceAllString(name, " "))
	}
	for _, c := range f.commits {
		ask(commitMark.ReplaceAllString(commitKind.ReplaceAllString(c, ""), " "))
	}
	ask(namesOf(f.files))
	return out
}

// namesOf are the words of changed files: their names, also in words, and the folders next to
// them.
func namesOf(files []string) string {
	var words []string
	for _, file := range files {
		dir, base := path.Split(file)
		stem := strings.TrimSuffix(base, path.Ext(base))
		for _, w := range []string{base, path.Base(dir), nameMarks.ReplaceAllString(humps.ReplaceAllString(stem, "$1 $2"), " ")} {
			if w = strings.Trim(w, " ./"); w != "" && !slices.Contains(words, w) && !slices.Contains([]string{"src", "lib", "main", "internal", "test", "tests", "pkg"}, w) {
				words = append(words, w)
			}
		}
	}
	return strings.Join(words, " ")
}
