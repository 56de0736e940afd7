package hook

import (
	"context"
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
		return func() { *into = git(ctx, dir, env, args...) }
	}
	var branch []string
	// Plumbing that only compares times and sizes: it reads no file, so it runs
	// no filter that the repository's settings may name.
	all(
		ask(&branch, "symbolic-ref", "--short", "-q", "HEAD"),
		ask(&f.commits, "log", "-n", "6", "--no-show-signature", "--no-merges", "--format=%s"),
		ask(&staged, "diff-index", "--cached", "--name-only", "--ignore-submodules", "HEAD"),
		ask(&changed, "diff-files", "--name-only", "--ignore-submodules"),
	)
	f.branch = first(branch)
	f.commits = f.commits[:min(len(f.commits), maxCommits)]
	f.files = append(staged, changed...)
	slices.Sort(f.files)
	f.files = slices.Compact(f.files)
	f.files = f.files[:min(len(f.files), maxFiles)]
	return f
}

// all runs functions side by side and waits for them.
func all(do ...func()) {
	var wg sync.WaitGroup
	for _, f := range do {
		wg.Go(f)
	}
	wg.Wait()
}

// git returns the lines that a git command prints, none if it fails.
func git(ctx context.Context, dir string, env func(string) string, args ...string) []string {
	args = append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--no-pager"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = []string{
		"PATH=" + env("PATH"), "HOME=" + env("HOME"), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
	}
	cmd.Dir = os.TempDir() // git finds its own way by -C; the session's folder may be gone
	cmd.WaitDelay = 20 * time.Millisecond
	var out bounded
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil
	}
	return strings.FieldsFunc(string(out.data), func(r rune) bool { return r == '\n' || r == 0 })
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ data []byte }

func (b *bounded) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), maxGitOutput-len(b.data))]...)
	return len(p), nil
}

var (
	commitPrefix = regexp.MustCompile(`^[a-z]+(\([^)]*\))?!?: `)
	branchNoise  = regexp.MustCompile(`[/_.-]+`)
)

// queries returns what to ask the memory for: what the work is about, and what
// it is in. They are asked apart, because one text about everything is near to
// nothing.
func (f facts) queries(project string) []string {
	var about []string
	if name := path.Base(project); name != "." && name != "/" && name != "~" {
		about = append(about, branchNoise.ReplaceAllString(name, " "))
	}
	switch f.branch {
	case "", "main", "master", "trunk", "develop", "HEAD":
	default:
		about = append(about, strings.TrimSpace(branchNoise.ReplaceAllString(f.branch, " ")))
	}
	out := []string{}
	if len(about) > 0 {
		out = append(out, strings.Join(about, ": "))
	}
	var subjects []string
	for _, c := range f.commits {
		subjects = append(subjects, commitPrefix.ReplaceAllString(c, ""))
	}
	if len(subjects) > 0 {
		out = append(out, strings.Join(subjects, "; "))
	}
	if len(f.files) > 0 {
		out = append(out, strings.Join(f.files, " "))
	}
	return out
}
