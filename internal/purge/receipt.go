package purge

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/memory"
)

// version is that of the files that this release writes.
const version = 1

// maxReceipt bounds the file of a receipt that is read: some millions of memories.
const maxReceipt = 1 << 30

// receipt is the file: what everybody may read, and what only the home can.
type receipt struct {
	Version    int                `json:"version"`
	Name       string             `json:"name"`
	WorkflowID string             `json:"workflow_id"`
	User       string             `json:"user,omitempty"`
	Begun      time.Time          `json:"begun"`
	Memories   int                `json:"memories"`
	Report     memory.PurgeReport `json:"report"`
	// Unreached is what could not be written anew.
	Unreached []memory.Unreached `json:"unreached,omitempty"`
	// Hashes has one of each text, under the home's key: the same text has the same hash in no
	// other receipt.
	Hashes []string `json:"hashes"`
	Sealed []byte   `json:"sealed"`

	content content
}

// content is what is sealed.
type content struct {
	Secret   secret    `json:"secret"`
	IDs      []string  `json:"ids"`
	Pages    []int     `json:"pages"` // that were noted
	Patterns []pattern `json:"patterns"`
	// Redaction is set in the receipt of a redaction: which rules it goes by.
	Redaction *redaction `json:"redaction,omitempty"`
	// Steps are the finished steps, whose counts are in the report.
	Steps []string `json:"steps,omitempty"`
	// Deletions are what steps delete from Temporal, by their keys.
	Deletions map[string]deletion `json:"deletions,omitempty"`
}

// redaction names the folder of a project, whose rules hold for what is of the project.
type redaction struct {
	Dir     string `json:"dir,omitempty"`
	Project string `json:"project,omitempty"`
}

// Dir is where a home keeps its receipts.
func Dir(home string) string { return filepath.Join(home, "purges") }

// KeyPath is where a home keeps the key of its receipts.
func KeyPath(home string) string { return filepath.Join(home, "keys", "receipts.key") }

// fileName makes a file's name of a workflow's id.
func fileName(workflowID string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, workflowID)
	return strings.TrimLeft(name, ".") + ".json"
}

// load reads a receipt and opens what is sealed in it.
func load(home, path string) (receipt, error) {
	var r receipt
	data, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, memory.Errorf(memory.NotFound, "the receipts of this home are in "+Dir(home),
			"there is no receipt %s", path)
	}
	if err != nil {
		return r, fmt.Errorf("read the receipt: %w", err)
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Name == "" || len(r.Sealed) == 0 {
		return r, memory.Errorf(memory.Invalid, "the receipts of this home are in "+Dir(home),
			"%s is no receipt of a purge", path)
	}
	if r.Version > version {
		return r, memory.Errorf(memory.Invalid, "use the newer mneme",
			"the receipt is of a newer release (%d)", r.Version)
	}
	aead, err := openKey(home)
	if err != nil {
		return r, err
	}
	n := aead.NonceSize()
	if len(r.Sealed) < n {
		return r, memory.Errorf(memory.Invalid, "", "the receipt is damaged")
	}
	plain, err := aead.Open(nil, r.Sealed[:n], r.Sealed[n:], []byte(r.Name))
	if err != nil {
		return r, memory.Errorf(memory.Invalid, "give it to the home that made it: its key is "+KeyPath(home),
			"the receipt was made by another home, or was changed")
	}
	if err := json.Unmarshal(plain, &r.content); err != nil {
		return r, fmt.Errorf("read the receipt: %w", err)
	}
	return r, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxReceipt {
		return nil, memory.Errorf(memory.Invalid, "", "it is no file of a receipt")
	}
	return io.ReadAll(f)
}

// save writes a receipt whole or not at all, for its owner alone.
func (r receipt) save(home string) error {
	plain, err := json.Marshal(r.content)
	if err != nil {
		return fmt.Errorf("write the receipt: %w", err)
	}
	aead, err := openKey(home)
	if err != nil {
		return err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce) // never fails: see crypto/rand
	r.Sealed = aead.Seal(nonce, nonce, plain, []byte(r.Name))
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the receipt: %w", err)
	}
	if err := os.MkdirAll(Dir(home), 0o700); err != nil {
		return fmt.Errorf("make the folder of the receipts: %w", err)
	}
	path := filepath.Join(Dir(home), r.Name)
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600, renameio.WithTempDir(Dir(home))); err != nil {
		return fmt.Errorf("write the receipt: %w", err)
	}
	return nil
}

// note adds a page of texts, once.
func (r *receipt) note(page int, ids []string, texts []memory.PurgedText) {
	if slices.Contains(r.content.Pages, page) {
		return // by a worker that was killed before it could say so; the texts may be gone by now
	}
	table := r.content.Secret.table()
	for _, t := range texts {
		p := r.content.Secret.patternOf(table, t.ID, t.Text)
		if len(p.Windows) == 0 {
			r.Report.Short++
		}
		r.content.Patterns = append(r.content.Patterns, p)
		r.Hashes = append(r.Hashes, hex.EncodeToString(r.content.Secret.digest(t.ID, t.Text)))
	}
	r.content.IDs = append(r.content.IDs, ids...)
	r.content.Pages = append(r.content.Pages, page)
	r.Memories, r.Report.Texts = len(r.content.IDs), len(r.content.Patterns)
}

// openKey reads the key of the home's receipts, and makes it when it is not there yet.
func openKey(home string) (cipher.AEAD, error) {
	path := KeyPath(home)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path); err == nil {
			text, err = os.ReadFile(path) // of who was first
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of the receipts: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != 32 {
		return nil, memory.Errorf(memory.Invalid,
			"move it away: a new one is made, and receipts of the old one can no longer be checked",
			"%s holds no key", path)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func makeKey(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".receipts-*") // 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	var key [32]byte
	rand.Read(key[:]) // never fails: see crypto/rand
	_, err = f.WriteString(hex.EncodeToString(key[:]) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
