package importer

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The bounds of the look into a transcript.
const (
	maxTranscripts = 20
	maxLines       = 200
	maxLine        = 4 << 20
)

// Folder returns the folder whose project the notes at a path belong to: its own, the one that
// Claude Code worked in where the path is in Claude Code's memory of a project, or "" for its
// memory of all projects. Home is the folder of Claude Code's settings, such as ~/.claude.
func Folder(path string, isDir bool, home string) string {
	dir := path
	if !isDir {
		dir = filepath.Dir(path)
	}
	rel, err := filepath.Rel(home, dir)
	if home == "" || err != nil || !filepath.IsLocal(rel) {
		return dir
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	if parts[0] != "projects" || len(parts) < 2 {
		return ""
	}
	if worked := workedIn(filepath.Join(home, "projects", parts[1])); worked != "" {
		return worked
	}
	return dir
}

// workedIn returns the folder that the transcripts in a folder are of.
func workedIn(dir string) string {
	found, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return ""
	}
	slices.Reverse(found)
	for _, name := range found[:min(len(found), maxTranscripts)] {
		if cwd := firstFolder(name); filepath.IsAbs(cwd) {
			return cwd
		}
	}
	return ""
}

func firstFolder(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 0; n < maxLines && lines.Scan(); n++ {
		var line struct {
			Cwd string `json:"cwd"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Cwd != "" {
			return line.Cwd
		}
	}
	return ""
}
