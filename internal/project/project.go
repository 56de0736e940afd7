// Package project says which project a folder belongs to, so that worktrees
// and clones of one repository share their memories.
//
// The identity is the git remote, written host/owner/repo; without a remote
// the root of the main work tree; outside a repository the folder itself. It
// is read from git's own files: no process is started, so it takes well under
// a millisecond and does not depend on git being installed.
package project

import (
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds what is read of git's files; a larger one is not git's.
const maxFile = 1 << 20

// maxParents bounds how far up a repository is looked for.
const maxParents = 100

// Identify returns the project of dir. It always answers: what cannot be read
// is as if it were not there. Paths have their symbolic links resolved and the
// home folder written as ~.
func Identify(dir string) string {
	dir = resolve(dir)
	root, gitDir := find(dir)
	if gitDir == "" {
		return tilde(dir)
	}
	common := commonDir(gitDir)
	if name := Normalize(remoteURL(readFile(filepath.Join(common, "config")))); name != "" {
		return name
	}
	// A linked worktree shares the folder of the main one; a submodule's
	// common folder lies in modules/ of its parent and is its own project.
	if filepath.Base(common) == ".git" {
		return tilde(filepath.Dir(common))
	}
	return tilde(root)
}

// find returns the root of the work tree that holds dir and its git folder,
// or "" for both. In a bare repository the root is the git folder itself.
func find(dir string) (root, gitDir string) {
	for range maxParents {
		dot := filepath.Join(dir, ".git")
		info, err := os.Stat(dot)
		switch {
		case err == nil && info.IsDir() && isGitDir(dot):
			return dir, dot
		case err == nil && info.Mode().IsRegular():
			if target := pointer(dot, dir); target != "" && exists(target) {
				return dir, target
			}
		case isGitDir(dir):
			if filepath.Base(dir) == ".git" { // standing inside .git itself
				return filepath.Dir(dir), dir
			}
			return dir, dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
	return "", ""
}

// isGitDir applies git's own test: HEAD, objects and refs.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !exists(filepath.Join(dir, name)) {
			return false
		}
	}
	return true
}

// pointer reads a .git file ("gitdir: path", relative to the folder it is in).
func pointer(file, base string) string {
	rest, ok := strings.CutPrefix(readFile(file), "gitdir:")
	if !ok {
		return ""
	}
	return absolute(strings.TrimSpace(rest), base)
}

// commonDir is the git folder that holds the config: for a linked worktree
// the main one's, which the file commondir names.
func commonDir(gitDir string) string {
	rest := strings.TrimSpace(readFile(filepath.Join(gitDir, "commondir")))
	if rest == "" {
		return gitDir
	}
	return resolve(absolute(rest, gitDir))
}

func absolute(path, base string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// resolve makes a path absolute and resolves symbolic links as far as it can.
func resolve(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Clean(path)
}

// tilde writes the home folder as ~, so that the same folder on two machines
// with different users is one project.
func tilde(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return path
	}
	home = resolve(home)
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != string(filepath.Separator) {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// readFile returns a small regular file's content, or "".
func readFile(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

// Root returns the root of the work tree that a folder is in, or "" if it is in none.
func Root(dir string) string {
	root, gitDir := find(resolve(dir))
	if gitDir == "" {
		return ""
	}
	return root
}

// Tilde writes a path with its symbolic links resolved, and with the home folder as ~.
func Tilde(path string) string { return filepath.ToSlash(tilde(resolve(path))) }
