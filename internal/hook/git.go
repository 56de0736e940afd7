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
	maxCommits   = 6
	maxFiles     = 8
	maxGitOutput = 16 << 10
)

// facts are what a repository says about the work at hand.
type facts struct {
	branch  string
	commits []string // subjects, latest first
	files   []string // changed since the last commit
}

// repository asks git. Without git, outside a repository and where git is slow
// the facts that are missing are empty.
func repository(ctx context.Context, dir string, env func(string) string) facts {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	var f facts
	var staged, changed []string
	ask := func(into *[]string, args ...string) func() {
		return func() { *into, _ = git(ctx, dir, env, args...) }
	}
	var branch []string
	// Plumbing that compares trees, times and sizes: it changes nothing.
	all(
		ask(&branch, "symbolic-ref", "--short", "-q", "HEAD"),
		ask(&f.commits, "log", "-n", "6", "--no-show-signature", "--no-merges", "--format=%s"),
		ask(&staged, "diff-index", "--cached", "--name-only", "--ignore-submodules", "HEAD"),
		func() {
			if filtered(ctx, dir, env) {
				return
			}
			changed, _ = git(ctx, dir, env, "diff-files", "--name-only", "--ignore-submodules")
		},
	)
	f.branch = first(branch)
	f.commits = f.commits[:min(len(f.commits), maxCommits)]
	f.files = append(staged, changed...)
	slices.Sort(f.files)
	f.files = slices.Compact(f.files)
	f.files = f.files[:min(len(f.files), maxFiles)]
	return f
}

// all runs functions side by side and waits for them. One that panics is as if
// it had found nothing: in a goroutine of its own it would end the process with
// a status that Claude Code reads as "block".
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

// git returns the lines that a git command prints.
func git(ctx context.Context, dir string, env func(string) string, args ...string) ([]string, error) {
	args = append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--no-pager"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = []string{
		"PATH=" + env("PATH"), "HOME=" + env("HOME"), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", // what is missing is not fetched
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
	commitPrefix = regexp.MustCompile(`^[a-z]+(\([^)]*\))?!?: `)
	branchPrefix = regexp.MustCompile(`^(feature|feat|fix|bugfix|hotfix|chore|docs|refactor|test|release|wip)s?/`)
	nameMarks    = regexp.MustCompile(`[/_.-]+`)
)

// maxQueries bounds what is asked when a session starts: each question takes
// its time, and more than three do not fit into a hook's budget of 100 ms.
const maxQueries = 3

// queries returns what to ask the memory for, the most telling first. They are
// asked apart, because one text about everything is near to nothing. Commits
// are for where the branch has no name of its own, or where there is room.
func (f facts) queries(project string) []string {
	var out []string
	ask := func(text string) {
		text = strings.TrimSpace(text)
		if text != "" && len(out) < maxQueries && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	subjects := make([]string, len(f.commits))
	for i, c := range f.commits {
		subjects[i] = commitPrefix.ReplaceAllString(c, "")
	}
	switch f.branch {
	case "", "main", "master", "trunk", "develop", "HEAD":
		ask(first(subjects))
	default:
		ask(nameMarks.ReplaceAllString(branchPrefix.ReplaceAllString(f.branch, ""), " "))
	}
	names := make([]string, len(f.files))
	for i, file := range f.files {
		names[i] = path.Base(file)
	}
	ask(strings.Join(names, " "))
	if name := path.Base(project); name != "." && name != "/" && name != "~" {
		ask(nameMarks.ReplaceAllString(name, " "))
	}
	for _, s := range subjects {
		ask(s)
	}
	return out
}
