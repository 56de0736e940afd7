package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestWorkTrees: files go into the work tree, what is local is kept by the main one.
func TestWorkTrees(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	main, tree := filepath.Join(base, "main"), filepath.Join(base, "tree")
	must(t, os.MkdirAll(filepath.Join(main, "sub"), 0o700))
	for _, args := range [][]string{
		{"init", "-q"},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "first"},
		{"worktree", "add", "-q", tree},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = main
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	must(t, os.Symlink(filepath.Join(main, "sub"), filepath.Join(base, "link")))
	for _, c := range []struct{ dir, project, repository string }{
		{main, main, main},
		{filepath.Join(main, "sub"), main, main},
		{filepath.Join(base, "link"), main, main},
		{tree, tree, main},
		{base, base, base},
	} {
		if got := ProjectDir(c.dir); got != c.project {
			t.Errorf("%s belongs to %s, want %s", c.dir, got, c.project)
		}
		if got := repository(ProjectDir(c.dir)); got != c.repository {
			t.Errorf("%s is kept by %s, want %s", c.dir, got, c.repository)
		}
	}
}
