package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// Transcript is one file of Claude Code's.
type Transcript struct {
	Path     string
	Session  string
	Thread   string // the subagent whose file it is; empty for the session's own
	Project  string
	Dir      string // that the session was begun in; empty if its transcript does not tell
	Size     int64
	Modified time.Time
}

// Folder returns where Claude Code keeps its transcripts: below its own folder in the
// user's home, unless CLAUDE_CONFIG_DIR names another.
func Folder(getenv func(string) string, home string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "projects")
	}
	return filepath.Join(home, ".claude", "projects")
}

// suffix ends the name of a transcript.
const suffix = ".jsonl"

// Find lists the transcripts below a folder, oldest first. project names the project of a
// folder. What cannot be read is left out; only a folder that is not there is an error.
func Find(ctx context.Context, root string, project func(dir string) string) ([]Transcript, error) {
	if info, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, memory.Errorf(memory.NotFound,
			"set CLAUDE_CONFIG_DIR to Claude Code's folder, if it is another one",
			"Claude Code keeps no conversations in %s", root)
	} else if err != nil {
		return nil, fmt.Errorf("find conversations: %w", err)
	}
	own, err := filepath.Glob(filepath.Join(escape(root), "*", "*"+suffix))
	if err != nil {
		return nil, fmt.Errorf("find conversations: %w", err)
	}
	agents, err := filepath.Glob(filepath.Join(escape(root), "*", "*", "subagents", "agent-*"+suffix))
	if err != nil {
		return nil, fmt.Errorf("find conversations: %w", err)
	}
	dirs := map[string]string{} // of sessions
	var out []Transcript
	for _, path := range append(own, agents...) {
		t, ok := describe(path)
		if !ok {
			continue
		}
		key := filepath.Join(projectFolder(t), t.Session)
		dir, known := dirs[key]
		if !known {
			// A file that cannot be read tells no folder, and is reported when it is read.
			dir, _ = transcript.FirstDir(ctx, path)
			dirs[key] = dir
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.Dir, t.Project = dir, "claude/"+filepath.Base(projectFolder(t))
		if dir != "" {
			t.Project = project(dir)
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b Transcript) int { return a.Modified.Compare(b.Modified) })
	return out, nil
}

// escape has a folder's name stand for itself in a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// describe reads what a transcript's path tells. A file that the client wrote only to compact a
// conversation holds nothing of its own.
func describe(path string) (Transcript, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return Transcript{}, false
	}
	name := strings.TrimSuffix(filepath.Base(path), suffix)
	t := Transcript{Path: path, Session: name, Size: info.Size(), Modified: info.ModTime()}
	if filepath.Base(filepath.Dir(path)) == "subagents" {
		t.Thread = strings.TrimPrefix(name, "agent-")
		t.Session = filepath.Base(filepath.Dir(filepath.Dir(path)))
		if strings.HasPrefix(t.Thread, "acompact") {
			return Transcript{}, false
		}
	}
	return t, memory.CheckName("session", t.Session) == nil && memory.CheckName("thread", t.Thread) == nil
}

// projectFolder is the folder of Claude Code's that holds a session.
func projectFolder(t Transcript) string {
	dir := filepath.Dir(t.Path)
	if t.Thread != "" {
		dir = filepath.Dir(filepath.Dir(dir))
	}
	return dir
}
