package redact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// LoadClaudeMD reads the privacy rules that apply in a folder: those of the user, in
// home/.claude/CLAUDE.md, and those of the project, in the CLAUDE.md files of every folder from
// the repository's root down to dir. An empty home or dir has none.
//
// A project can add rules and take none away: its files may come from anybody, and "e-mail
// addresses may be stored" would open what the user wants closed. A rule that is ignored, or
// that was not understood, becomes a warning. Rules beyond [MaxRules] are left out, the
// project's first. The error is that of a file that is there and cannot be read.
func LoadClaudeMD(home, dir string) ([]Rule, []Warning, error) {
	var rules []Rule
	var warnings []Warning
	for _, path := range userFiles(home) {
		r, w, err := loadFile(path)
		if err != nil {
			return nil, nil, err
		}
		rules, warnings = append(rules, r...), append(warnings, w...)
	}
	for _, path := range projectFiles(dir) {
		r, w, err := loadFile(path)
		if err != nil {
			return nil, nil, err
		}
		r, ignored := onlyAdding(path, r)
		rules, warnings = append(rules, r...), slices.Concat(warnings, w, ignored)
	}
	if len(rules) > MaxRules {
		warnings = append(warnings, Warning{Text: fmt.Sprintf("%d privacy rules in all files, only the first %d are used", len(rules), MaxRules)})
		rules = rules[:MaxRules]
	}
	return rules, warnings, nil
}

// onlyAdding leaves out the rules that switch a detector off.
func onlyAdding(path string, rules []Rule) ([]Rule, []Warning) {
	var warnings []Warning
	rules = slices.DeleteFunc(rules, func(r Rule) bool {
		if r.Expr == "" && r.Keep {
			warnings = append(warnings, Warning{File: path, Text: fmt.Sprintf(
				"a project cannot allow %q to be stored; write it in your own ~/.claude/CLAUDE.md", r.Kind)})
			return true
		}
		return false
	})
	return rules, warnings
}

// loadFile reads one file; a missing file has no rules.
func loadFile(path string) ([]Rule, []Warning, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open privacy rules: %w", err)
	}
	defer f.Close()
	rules, warnings, err := ParseClaudeMD(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range warnings {
		warnings[i].File = path
	}
	return rules, warnings, nil
}

func userFiles(home string) []string {
	if home == "" {
		return nil
	}
	return regular(filepath.Join(home, ".claude", "CLAUDE.md"))
}

// projectFiles are those of the folders from the repository's root down to dir. Outside a
// repository only dir counts: what lies above it is not the project's.
func projectFiles(dir string) []string {
	if dir == "" {
		return nil
	}
	folders := []string{filepath.Clean(dir)}
	for at := folders[0]; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		up := filepath.Dir(at)
		if up == at {
			folders = folders[:1]
			break
		}
		at = up
		folders = append(folders, at)
	}
	var out []string
	for _, folder := range slices.Backward(folders) {
		out = append(out, regular(
			filepath.Join(folder, "CLAUDE.md"),
			filepath.Join(folder, "CLAUDE.local.md"),
			filepath.Join(folder, ".claude", "CLAUDE.md"))...)
	}
	return out
}

// regular are those of the paths that are files: a pipe in a repository must not be waited for.
func regular(paths ...string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !info.Mode().IsRegular()
	})
}
