package homekey

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// MCPToken returns what MCP over HTTP asks its clients for, and the file that holds it; it
// makes one in a home that has none. Several may call it at once: all get the same.
func MCPToken(home string) (token, path string, err error) {
	path = config.MCPTokenPath(home)
	token, err = ensureToken(home, path)
	return token, path, err
}

// APIToken returns what the REST API asks programs for, and the file that holds it, like MCPToken.
func APIToken(home string) (token, path string, err error) {
	path = config.APITokenPath(home)
	token, err = ensureToken(home, path)
	return token, path, err
}

func ensureToken(home, path string) (token string, err error) {
	if err := config.EnsureHome(home); err != nil {
		return "", err
	}
	if token, err = readToken(path); !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := writeToken(path, rand.Text()); err != nil {
		return "", fmt.Errorf("write a token: %w", err)
	}
	return readToken(path) // of who was first
}

func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read a token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", memory.Errorf(memory.Invalid, "delete it: the next start makes a new one", "the token file %s is empty", path)
	}
	return token, nil
}

// writeToken makes the file whole or not at all, and leaves one that is there already.
func writeToken(path, token string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".token-*") // 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
