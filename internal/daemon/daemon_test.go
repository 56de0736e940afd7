package daemon_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/redact/redacttest"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// start runs the embedded profile on a home of its own and returns a client
// and what stops both.
func start(t *testing.T, home string) (*workflows.Client, func()) {
	t.Helper()
	r := run(t, home, nil)
	return r.client, r.stop
}

func store(t *testing.T, c *workflows.Client, text, project string) memory.StoreResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := c.Store(ctx, memory.StoreInput{Text: text, Project: project, Source: memory.SourceTool})
	if err != nil {
		t.Fatalf("store: %v (%s)", err, memory.HintOf(err))
	}
	return r
}

// stored stores a text and waits until it is stored: on a busy machine a step may take longer
// than the answer waits for.
func stored(t *testing.T, c *workflows.Client, text, project string) memory.StoreResult {
	t.Helper()
	r := store(t, c, text, project)
	if r.Status != memory.Stored && r.Status != memory.Accepted {
		t.Errorf("stored: %+v", r)
	}
	wait.Until(t, "it is stored", func() bool {
		found, err := c.Get(t.Context(), []string{r.ID})
		return err == nil && len(found) == 1
	})
	return r
}

func recall(t *testing.T, c *workflows.Client, text, project string) []memory.Hit {
	t.Helper()
	all := 0.0
	r, err := c.Recall(t.Context(), memory.Query{Text: text, Project: project, MinScore: &all, Limit: 10})
	if err != nil {
		t.Fatalf("recall: %v (%s)", err, memory.HintOf(err))
	}
	return r.Hits
}

// TestRemembersOverRestart is the main job end to end: store, recall in the
// right project only, the same again after a restart, rebuild, forget.
func TestRemembersOverRestart(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c, stop := start(t, home)
	first := stored(t, c, "The API listens on port 8443 behind the proxy", "a")
	if again := store(t, c, "The API listens on  port 8443 behind the proxy", "a"); again.Status == memory.Stored || again.ID != first.ID {
		t.Errorf("second store: %q %s, want merged into %s", again.Status, again.ID, first.ID)
	}
	if hits := recall(t, c, "which port does the API use", "b"); len(hits) != 0 {
		t.Errorf("another project sees %+v", hits)
	}
	stop()

	c, stop = start(t, home)
	defer stop()
	hits := recall(t, c, "which port does the API use", "a")
	if len(hits) != 1 || hits[0].ID != first.ID {
		t.Fatalf("after the restart: %+v", hits)
	}
	report, err := c.Rebuild(t.Context(), memory.RebuildInput{}, nil)
	if err != nil || !report.Equal {
		t.Errorf("rebuild: equal %v, %v", report.Equal, err)
	}
	receipt, err := c.Forget(t.Context(), memory.ForgetInput{Filter: memory.Filter{IDs: []string{first.ID}}})
	if err != nil || receipt.Count != 1 || !receipt.Verified {
		t.Errorf("forget: %+v, %v", receipt, err)
	}
	if hits := recall(t, c, "which port does the API use", "a"); len(hits) != 0 {
		t.Errorf("still there: %+v", hits)
	}
}

// TestNoSecretReachesTheDisk stores and asks for every kind of secret and
// then looks for each in every file below the data folder.
func TestNoSecretReachesTheDisk(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c, stop := start(t, home)
	var secrets []redacttest.Secret
	for _, s := range redacttest.Secrets(1) {
		if len(s.Value) >= 10 { // a shorter one is in some file by chance
			secrets = append(secrets, s)
		}
	}
	if len(secrets) < 50 {
		t.Fatalf("only %d secrets to look for, want 50", len(secrets))
	}
	for _, s := range secrets {
		store(t, c, s.Sentence, "secrets")
		recall(t, c, s.Sentence, "secrets")
	}
	search(t, home, secrets) // while it runs: the write-ahead logs are there
	stop()
	search(t, home, secrets)
}

func search(t *testing.T, home string, secrets []redacttest.Secret) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // a file that went meanwhile holds nothing
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil // the same
		}
		files++
		for _, s := range secrets {
			if bytes.Contains(data, []byte(s.Value)) {
				t.Errorf("%s: a secret of kind %s is on the disk", path, s.Kind)
			}
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("looked into %d files: %v", files, err)
	}
}
