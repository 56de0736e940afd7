package payload

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/memory"
)

// keyBytes is the length of a key of AES-256.
const keyBytes = 32

// key is one key of a keyring.
type key struct {
	id     string
	secret [keyBytes]byte
}

// Source says where keys are. One of the two is set; Command is first.
type Source struct {
	// File holds the keys. It is made, with new keys, where it is missing and not Given.
	File string
	// Given says that the file must be there: a new key would open nothing that others sealed.
	Given bool
	// Command prints the keys: it asks a password manager or a key store.
	Command string
}

// Keyring holds the keys of a source. It is safe for concurrent use.
type Keyring struct {
	source Source

	mu   sync.Mutex
	keys []key // the first seals
	read time.Time
}

// rereadAfter is how long an unknown key is not looked for again.
const rereadAfter = time.Second

// Open reads the keys of a source.
func Open(source Source) (*Keyring, error) {
	r := &Keyring{source: source}
	return r, r.reread()
}

// current returns the key that seals.
func (r *Keyring) current() (key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.keys {
		if k.id != marksID {
			return k, nil
		}
	}
	return r.keys[0], nil // parse refuses keys of which none seals
}

// find returns a key by its id. One that is not known may have been added since the keys
// were read: a rotation needs no restart.
func (r *Keyring) find(id string) (key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k, ok := r.known(id); ok {
		return k, nil
	}
	if time.Since(r.read) > rereadAfter {
		if err := r.reread(); err != nil {
			return key{}, err
		}
	}
	if k, ok := r.known(id); ok {
		return k, nil
	}
	return key{}, missing{memory.Refusal("Temporal", "add that key to "+r.source.name()+", from the home or the backup that has it",
		fmt.Errorf("what Temporal keeps was encrypted with the key %s, which is not here", id))}
}

// missing is the error of a key that is not here. Temporal's client would repeat a call that
// fails for reasons that it does not know; this one tells it that repeating is no use, in the
// words of gRPC, which is all that the client hands on.
type missing struct{ error }

// GRPCStatus gives the error its code and words.
func (m missing) GRPCStatus() *status.Status {
	return status.New(codes.FailedPrecondition, m.Error()+": "+memory.HintOf(m.error))
}

// Unwrap returns the error as the rest of mneme knows it.
func (m missing) Unwrap() error { return m.error }

// marksID is the id of a key that seals nothing: others are derived from it. A rotation
// leaves it as it is.
const marksID = "marks"

// Derive returns a key for another purpose. It is made from the key called "marks", or where
// none is called so, as in a file of an older release, from the last one. So it is the same on
// every machine that shares the keys, and tells nothing about them.
func (r *Keyring) Derive(purpose string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.keys[len(r.keys)-1]
	if marks, ok := r.known(marksID); ok {
		from = marks
	}
	derived, err := hkdf.Key(sha256.New, from.secret[:], nil, purpose, keyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return derived, nil
}

func (r *Keyring) known(id string) (key, bool) {
	for _, k := range r.keys {
		if k.id == id {
			return k, true
		}
	}
	return key{}, false
}

// reread reads the keys again.
func (r *Keyring) reread() error {
	text, err := r.source.load()
	if err != nil {
		return memory.Errorf(memory.Invalid, `see "Encryption" in docs/security.md`, "read the keys of Temporal's payloads: %w", err)
	}
	keys, err := parse(text)
	if err != nil {
		return memory.Errorf(memory.Invalid, "a line is the id of a key, a space, and 32 bytes in base64",
			"read the keys of Temporal's payloads from %s: %w", r.source.name(), err)
	}
	r.keys, r.read = keys, time.Now()
	return nil
}

func (s Source) name() string {
	if s.Command != "" {
		return "what temporal.key_command prints"
	}
	return s.File
}

// commandTimeout bounds a command: it may have to ask a person once.
const commandTimeout = 30 * time.Second

func (s Source) load() ([]byte, error) {
	switch {
	case s.Command != "":
		ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
		defer cancel()
		out, err := exec.CommandContext(ctx, "sh", "-c", s.Command).Output() //nolint:gosec // G204: the user's own setting
		if err != nil {
			return nil, fmt.Errorf("the command of temporal.key_command failed: %w", err) // what it printed may be a key
		}
		return out, nil
	case s.File == "":
		return nil, errors.New("nobody says where they are")
	}
	text, err := os.ReadFile(s.File)
	if s.Given || !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if err := create(s.File); err != nil {
		return nil, err
	}
	return os.ReadFile(s.File) // of who was first
}

// create makes the file with new keys, whole or not at all, and leaves one that is there
// already: several may start at once.
func create(path string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".keys-*") // 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(newLine(newID()) + newLine(marksID))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// newID returns an id for a key.
func newID() string {
	var id [4]byte
	rand.Read(id[:]) // never fails: see crypto/rand
	return hex.EncodeToString(id[:])
}

// newLine is a line with a new key.
func newLine(id string) string {
	var secret [keyBytes]byte
	rand.Read(secret[:]) // never fails: see crypto/rand
	return id + " " + base64.StdEncoding.EncodeToString(secret[:]) + "\n"
}

// parse reads keys, one a line: an id, a space, the key in base64. Lines that begin with #
// are comments.
func parse(text []byte) ([]key, error) {
	var keys []key
	seen := map[string]bool{}
	for n, line := range bytes.Split(text, []byte("\n")) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d is not an id and a key", n+1)
		}
		secret, err := base64.StdEncoding.DecodeString(fields[1])
		if err != nil || len(secret) != keyBytes {
			return nil, fmt.Errorf("line %d: the key is not %d bytes in base64", n+1, keyBytes)
		}
		if seen[fields[0]] {
			return nil, fmt.Errorf("line %d: there is another key with this id", n+1)
		}
		seen[fields[0]] = true
		keys = append(keys, key{fields[0], [keyBytes]byte(secret)})
	}
	if !slices.ContainsFunc(keys, func(k key) bool { return k.id != marksID }) {
		return nil, errors.New("there is none that encrypts")
	}
	return keys, nil
}

func newAEAD(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
