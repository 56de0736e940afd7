package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/memory"
)

// UnknownUser stands for the owner of a port that the system does not tell.
const UnknownUser = -1

// OllamaAgreement is what the user agreed to with "mneme up --use-ollama": a found Ollama
// that belongs to another user, or to an unknown one.
type OllamaAgreement struct {
	URL  string `json:"url"` // empty until the next start has found one
	User int    `json:"user"`
}

func ollamaAgreementPath(home string) string { return filepath.Join(home, "ollama.json") }

// ReadOllamaAgreement returns what was agreed to; agreed is false when nothing was.
func ReadOllamaAgreement(home string) (a OllamaAgreement, agreed bool, err error) {
	text, err := os.ReadFile(ollamaAgreementPath(home))
	if errors.Is(err, fs.ErrNotExist) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("read which Ollama was agreed to: %w", err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, false, memory.Errorf(memory.Invalid, `delete it, and agree again with "mneme up --use-ollama"`,
			"read which Ollama was agreed to in %s: %w", ollamaAgreementPath(home), err)
	}
	return a, true, nil
}

// WriteOllamaAgreement remembers what was agreed to.
func WriteOllamaAgreement(home string, a OllamaAgreement) error {
	text, err := json.Marshal(a)
	if err == nil {
		err = renameio.WriteFile(ollamaAgreementPath(home), append(text, '\n'), 0o600, renameio.WithTempDir(home))
	}
	if err != nil {
		return fmt.Errorf("remember which Ollama was agreed to: %w", err)
	}
	return nil
}
