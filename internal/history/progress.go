package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// Progress says how far the transcripts were taken. It is a file of the home folder.
type Progress struct {
	Files map[string]Taken `json:"files"` // by path

	// Ended is when an import of everything last came to its end.
	Ended time.Time `json:"ended,omitzero"`

	path string
}

// Taken says how far one transcript was taken.
type Taken struct {
	Offset   int64  `json:"offset"` // of the first byte that was not archived
	Head     string `json:"head"`   // hash of how the file began, which tells whether it is another one now
	HeadSize int64  `json:"head_size"`
	Tools    bool   `json:"tools,omitempty"` // what of it was archived
	Thinking bool   `json:"thinking,omitempty"`

	Checkpoint transcript.Checkpoint `json:"checkpoint,omitzero"` // how far memories were looked for
	Extracted  int                   `json:"extracted,omitempty"` // how many were found
	Searched   int64                 `json:"searched,omitempty"`  // size of the file when they were last looked for
}

const (
	progressFile = "claude-history.json"
	headBytes    = 1024
)

// Lock makes the caller the only process that imports into a home. If another import holds the lock,
// Lock does not wait and returns an error: the other import shows its progress where it was started.
func Lock(home string) (unlock func(), err error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make home folder: %w", err)
	}
	l := flock.New(filepath.Join(home, ".claude-history.lock"), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the import: %w", err)
	}
	if !ok {
		return nil, memory.Errorf(memory.Conflict, "wait until it is done",
			"another import of Claude Code's history is at work")
	}
	return func() { _ = l.Unlock() }, nil // closing the file is all that can fail
}

// Load reads the progress kept in a home. A file that cannot be understood is as if it were
// not there: everything is read once more, and nothing is kept twice.
func Load(home string) (*Progress, error) {
	p := &Progress{path: filepath.Join(home, progressFile)}
	data, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the progress of earlier imports: %w", err)
	}
	if json.Unmarshal(data, p) != nil || p.Files == nil {
		p.Files = map[string]Taken{}
	}
	return p, nil
}

// save writes the progress, and leaves out files that are gone.
func (p *Progress) save() error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("keep the progress: %w", err)
	}
	if err := renameio.WriteFile(p.path, data, 0o600, renameio.WithTempDir(filepath.Dir(p.path))); err != nil {
		return fmt.Errorf("keep the progress: %w", err)
	}
	return nil
}

// tidy leaves out files that Claude Code has removed.
func (p *Progress) tidy() {
	for path := range p.Files {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			delete(p.Files, path)
		}
	}
}

// from returns how far earlier imports took a transcript. It returns the beginning for a
// transcript that is new or was replaced, or if this import wants the output of tools or the model's
// thinking and earlier imports left it out.
func (p *Progress) from(t Transcript, tools, thinking bool) Taken {
	taken, known := p.Files[t.Path]
	if !known {
		return Taken{}
	}
	if t.Size < taken.Offset || t.Size < taken.HeadSize || head(t.Path, taken.HeadSize) != taken.Head {
		return Taken{}
	}
	if tools && !taken.Tools || thinking && !taken.Thinking {
		taken.Offset, taken.Tools, taken.Thinking = 0, false, false
	}
	return taken
}

// at notes how far a transcript was taken.
func (t Taken) at(path string, offset int64) Taken {
	t.Offset = offset
	t.HeadSize = min(offset, headBytes)
	t.Head = head(path, t.HeadSize)
	return t
}

// head hashes how a file begins.
func head(path string, size int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.CopyN(h, f, size); err != nil || n != size {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// LastEnded returns when an import of everything last came to its end in a home.
func LastEnded(_ context.Context, home string) time.Time {
	p, err := Load(home)
	if err != nil {
		return time.Time{}
	}
	return p.Ended
}
