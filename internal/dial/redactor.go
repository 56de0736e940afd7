package dial

import (
	"fmt"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/payload"
	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/memory"
)

// Redactor returns the redactor with the built-in detectors and the rules of
// the CLAUDE.md files that apply: those in the user's home folder and in the
// project's. A door names its project, so that the project's own rules hold for
// all it sends; the daemon serves all projects, names none ("") and applies the
// user's again. What keeps redacted parts apart is derived from the keys of
// Temporal's payloads: every machine that shares a Temporal has those.
func Redactor(cfg config.Temporal, home, project string) (memory.Redactor, error) {
	rules, _, err := redact.LoadClaudeMD(home, project)
	if err != nil {
		return nil, fmt.Errorf("read the privacy rules of CLAUDE.md: %w", err)
	}
	r, err := redact.New(redact.Options{
		Rules: rules,
		Key:   markKey(payload.Source{File: cfg.KeyFile, Given: cfg.KeyFileGiven, Command: cfg.KeyCommand}),
	})
	if err != nil {
		return nil, fmt.Errorf("apply the privacy rules of CLAUDE.md: %w", err)
	}
	return redactor{r}, nil
}

// PrivacyWarnings says in a line each what of the CLAUDE.md files' privacy rules is left out,
// and why. A file that cannot be read is one of them.
func PrivacyWarnings(home, project string) []string {
	_, warnings, err := redact.LoadClaudeMD(home, project)
	if err != nil {
		return []string{err.Error()}
	}
	out := make([]string, len(warnings))
	for i, w := range warnings {
		out[i] = w.String()
	}
	return out
}

// redactor gives the room's answer in the words of the activities.
type redactor struct{ r *redact.Redactor }

func (r redactor) Redact(text string) (string, []string) {
	result := r.r.Redact(text)
	kinds := make([]string, len(result.Findings))
	for i, f := range result.Findings {
		kinds[i] = string(f.Kind)
	}
	return result.Text, kinds
}

// The keys of marks, by where they come from. A process has one source, and a command that
// prints keys may ask a person: so it is asked once.
var (
	markKeysMu sync.Mutex
	markKeys   = map[payload.Source]markResult{}
)

// markResult is what a source answered.
type markResult struct {
	key   []byte
	err   error
	asked time.Time
}

// markPause is how long a source that failed is left alone.
const markPause = time.Minute

// markPurpose tells the key of marks from others that are derived.
const markPurpose = "mneme redaction marks 1"

// markKey returns what reads the key of marks from a source; nil if there is no source.
func markKey(source payload.Source) func() ([]byte, error) {
	if source == (payload.Source{}) {
		return nil
	}
	return func() ([]byte, error) {
		markKeysMu.Lock()
		defer markKeysMu.Unlock()
		known, ok := markKeys[source]
		if ok && (known.err == nil || time.Since(known.asked) < markPause) {
			return known.key, known.err
		}
		now := markResult{asked: time.Now()}
		keys, err := payload.Open(source)
		if err == nil {
			now.key, err = keys.Derive(markPurpose)
		}
		now.err = err
		markKeys[source] = now
		return now.key, now.err
	}
}
