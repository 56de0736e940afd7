package endtoend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/hook"
	"github.com/mneme-memory/mneme/internal/spool"
)

// killedSessions is how many sessions are started and killed, half of them
// without a daemon. MNEME_TEST_LONG makes it a thousand.
func killedSessions() int {
	if os.Getenv("MNEME_TEST_LONG") != "" {
		return 1000
	}
	return 100
}

// TestSessionsKilled starts sessions and kills two of the hooks of each at any
// moment of their lives. No process is left, nothing half written stays, no
// lock is held, and what the transcripts hold is stored once.
func TestSessionsKilled(t *testing.T) {
	t.Parallel()
	daemon, err := homestate.Read(shared.home)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("without a daemon", func(t *testing.T) {
		t.Parallel()
		k := newKilling(t, "example.org/killed-down", filepath.Join(t.TempDir(), "data"))
		k.play(t, killedSessions()/2)
		k.onlyOurs(t)
		// Whoever finds a daemon delivers what waits.
		key := config.HomeKeyPath(shared.home)
		k.env = append(k.env, "MNEME_TEMPORAL_ADDRESS="+daemon.Services[homestate.TemporalService].Address,
			"MNEME_TEMPORAL_KEY_COMMAND=cat "+config.PayloadKeysPath(shared.home), "MNEME_TEMPORAL_TLS=true", "MNEME_TEMPORAL_TLS_CA="+key, "MNEME_TEMPORAL_TLS_CERT="+key, "MNEME_TEMPORAL_TLS_KEY="+key)
		k.mended(t, func(n int) { k.unharmed(t, "SessionStart", fmt.Sprintf("after-%d", n)) })
		k.onlyOurs(t)
	})
	t.Run("with a daemon", func(t *testing.T) {
		t.Parallel()
		k := newKilling(t, "example.org/killed-up", shared.home)
		k.play(t, killedSessions()/2)
		k.mended(t, func(int) {}) // the daemon drains the spool by itself
	})
}

// killing is a data folder, and the sessions that write to it.
type killing struct {
	project, home string
	dir           string // everything else: HOME, TMPDIR, the repository, the transcripts
	env           []string
	sessions      int
	waiting       *spool.Spool

	killed, survived atomic.Int64
}

// unredacted is a redactor for who only reads.
type unredacted struct{}

func (unredacted) Redact(text string) (string, []string) { return text, nil }

func newKilling(t *testing.T, project, home string) *killing {
	t.Helper()
	k := &killing{project: project, home: home, dir: t.TempDir(), waiting: spool.Open(home, unredacted{})}
	for _, name := range []string{"user", "tmp", "transcripts"} {
		if err := os.Mkdir(filepath.Join(k.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "feature/dead-connections", k.repo()},
		{"-C", k.repo(), "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "--allow-empty", "-m", "close idle connections"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Skipf("there is no git on this machine to make a repository with: %v: %s", err, out)
		}
	}
	k.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(k.dir, "user"), "TMPDIR=" + k.tmp(), "CLAUDE_PROJECT_DIR=" + k.repo(),
		"MNEME_HOME=" + home, "MNEME_PROJECT=" + project, "MNEME_AUTOSTART=false", "MNEME_EMBED_MODEL=mneme-static",
	}
	return k
}

func (k *killing) repo() string { return filepath.Join(k.dir, "repo") }
func (k *killing) tmp() string  { return filepath.Join(k.dir, "tmp") }

// command is a hook with its event on stdin.
func (k *killing) command(t *testing.T, event, id string) *exec.Cmd {
	t.Helper()
	fields := map[string]any{
		"session_id": id, "transcript_path": k.transcript(id), "cwd": k.repo(), "hook_event_name": event, "source": "startup",
		"tool_use_id": "toolu_1", "tool_name": "Bash", "tool_input": map[string]any{"command": "go test ./internal/pool"},
		"error": "Exit code 1\ndial tcp: connection refused", "trigger": "auto", "last_assistant_message": "Done.",
	}
	if event == "PreToolUse" {
		maps.Copy(fields, map[string]any{"tool_name": "mcp__mneme__memory_store", "tool_input": map[string]any{"text": "the pool closes at " + id}})
	}
	in, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(shared.bin, "mneme-hook"), hook.Argument(event))
	cmd.Env, cmd.Dir, cmd.Stdin = k.env, k.repo(), bytes.NewReader(in)
	return cmd
}

func (k *killing) transcript(id string) string {
	return filepath.Join(k.dir, "transcripts", id+".jsonl")
}

// session is the name of session n. A name, and those of the lines of its
// transcript, is nobody else's: so each entry is counted once.
func (k *killing) session(n int) string { return fmt.Sprintf("%s-%d", filepath.Base(k.project), n) }

// finding is the lesson of session n, in rare words: what is like a memory that
// a session was shown is not learned from it.
func finding(n int) string {
	random := rand.New(rand.NewPCG(3, uint64(n)))
	word := func() string {
		var b strings.Builder
		for range 3 {
			b.WriteString([]string{"ba", "ce", "dri", "fo", "glu", "ha", "je", "ki", "lo", "mu", "na", "pel", "qui", "ro", "sta", "ve"}[random.IntN(16)])
		}
		return b.String()
	}
	return fmt.Sprintf("The root cause was that %s-%s closes every %s, so %s/%s returned %s %s.",
		word(), word(), word(), word(), file(n), word(), word())
}

// file is named in what session n learned, and nowhere else.
func file(n int) string { return fmt.Sprintf("killed%d.go", n) }

func (k *killing) writeTranscript(t *testing.T, id string, n int) {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	for i, line := range []map[string]any{
		{"type": "user", "message": map[string]any{"role": "user", "content": "why do requests fail now and then?"}},
		{"type": "assistant", "message": map[string]any{"id": "m1", "role": "assistant", "content": []any{map[string]any{"type": "text", "text": finding(n)}}}},
		{"type": "user", "message": map[string]any{"role": "user", "content": "thank you, please write it down for the others"}},
	} {
		line["uuid"], line["sessionId"] = fmt.Sprintf("%s-%d", id, i), id
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(k.transcript(id), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// unharmed runs a hook to its end and returns how long that took.
func (k *killing) unharmed(t *testing.T, event, id string) time.Duration {
	t.Helper()
	began := time.Now()
	if out, err := k.command(t, event, id).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", event, err, out)
	}
	return time.Since(began)
}

// doom is one hook and when it is killed.
type doom struct {
	event, session string
	after          time.Duration
}

// play starts n sessions and kills the first and one other hook of each.
func (k *killing) play(t *testing.T, n int) {
	t.Helper()
	k.sessions = n
	const seed = 11
	t.Logf("seed %d, %d sessions", seed, n)
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	others := []string{"PreToolUse", "PostToolUseFailure", "Stop", "PreCompact", "SessionEnd"}
	lives := map[string]time.Duration{}
	for i, event := range append([]string{"SessionStart"}, others...) {
		for try := range 2 { // the first of a kind may be slow
			id := fmt.Sprintf("%s-whole-%d-%d", filepath.Base(k.project), i, try)
			k.writeTranscript(t, id, 1_000_000+2*i+try)
			lives[event] = k.unharmed(t, event, id)
		}
	}
	work := make(chan doom)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for d := range work {
				k.kill(t, d)
			}
		})
	}
	for i := range n {
		id := k.session(i)
		k.writeTranscript(t, id, i)
		for _, event := range []string{"SessionStart", others[i%len(others)]} {
			// A little longer than it lives, so that also the end is met.
			work <- doom{event, id, time.Duration(1.2 * random.Float64() * float64(lives[event]))}
		}
	}
	close(work)
	wg.Wait()
	t.Logf("%d hooks were killed, %d came to their end", k.killed.Load(), k.survived.Load())
	if int(k.killed.Load()) < n/2 {
		t.Error("hardly any hook was killed: nothing was tested")
	}
}

func (k *killing) kill(t *testing.T, d doom) {
	t.Helper()
	cmd := k.command(t, d.event, d.session)
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	timer := time.AfterFunc(d.after, func() { _ = cmd.Process.Kill() }) // it may have ended
	err := cmd.Wait()
	timer.Stop()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == -1 {
		k.killed.Add(1)
	} else if err != nil {
		t.Errorf("%s: %v", d.event, err)
	} else {
		k.survived.Add(1)
	}
}
