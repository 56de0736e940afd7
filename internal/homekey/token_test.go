package homekey

import (
	"os"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// TestTokenIsMadeOnce has several servers start at once on a new home.
func TestTokenIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var got [8]string
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			token, _, err := MCPToken(dir)
			if err != nil {
				t.Error(err)
			}
			got[i] = token
		})
	}
	all.Wait()
	for _, token := range got {
		if token == "" || token != got[0] {
			t.Fatalf("not one token: %v", got)
		}
	}
	if info, err := os.Stat(config.MCPTokenPath(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(dir + "/keys"); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// TestEmptyToken is refused: it would let everybody in.
func TestEmptyToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := MCPToken(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config.MCPTokenPath(dir), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, _, err := MCPToken(dir); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("%q, %v", token, err)
	}
}
