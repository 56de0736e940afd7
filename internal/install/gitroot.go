package install

import (
	"os"
	"path/filepath"
	"strings"
)

// ProjectDir returns the folder that Claude Code is taken to be started in when one
// works in dir: the root of the git work tree, else dir itself, without symbolic
// links.
func ProjectDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// repository returns the folder by which Claude Code keeps what is local to a
// project: of a linked work tree that is the main one.
func repository(dir string) string {
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return dir // a folder, or no repository
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
	if !ok {
		return dir
	}
	target = join(dir, target)
	common, err := os.ReadFile(filepath.Join(target, "commondir"))
	if err != nil {
		return dir // of a submodule: it is a project of its own
	}
	main := join(target, strings.TrimSpace(string(common)))
	if filepath.Base(main) != ".git" {
		return dir
	}
	return filepath.Dir(main)
}

func join(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
