package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// hookHome is a home in which hooks have run.
func hookHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, e := range []hooklog.Entry{
		{At: at, Event: "SessionStart", Session: "1730c0de", Outcome: hooklog.OK, TookMillis: 41.5, Tokens: 73, Injected: []hooklog.Injected{{ID: "0a0e"}}},
		{At: at.Add(time.Minute), Event: "PreToolUse", Session: "other", Outcome: hooklog.OK, Duplicate: "0b0e"},
		{At: at.Add(time.Hour), Event: "Stop", Session: "1730c0de", Outcome: hooklog.Late, Detail: "the deadline came first"},
	} {
		if err := hooklog.Append(home, e); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func hooksLog(t *testing.T, home string, args ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr strings.Builder
	env := map[string]string{"MNEME_HOME": home}
	code = Main(t.Context(), System{
		Args: append([]string{"hooks", "log"}, args...), Env: func(name string) string { return env[name] }, Stdin: strings.NewReader(""),
		Stdout: &stdout, Stderr: &stderr, Location: time.UTC, Now: time.Now,
	}, Deps{Dial: func(context.Context, config.Config) (Client, error) { return knowsOne{}, nil }})
	return code, stdout.String() + stderr.String()
}

// knowsOne is a mneme that knows one memory. The test calls no other method.
type knowsOne struct{ Client }

func (knowsOne) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	if !slices.Equal(ids, []string{"0a0e"}) {
		return nil, memory.Errorf(memory.NotFound, "", "no such memory")
	}
	return []memory.Details{{Memory: memory.Memory{ID: "0a0e", Text: "Payments are \x1b[31mretried"}}}, nil
}

func (knowsOne) Close() {}

func TestHooksLog(t *testing.T) {
	t.Parallel()
	home := hookHome(t)
	code, out := hooksLog(t, home)
	for _, want := range []string{
		"2026-03-01 10:00  1730c0de  SessionStart          41.5 ms  ok: showed 1 memory (73 tokens)\n    0a0e  Payments are \uFFFD[31mretried\n",
		"duplicate of 0b0e", "late: the deadline came first",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, out := hooksLog(t, home, "--session", "other"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "PreToolUse") {
		t.Errorf("of one session: %s", out)
	}
	if _, out := hooksLog(t, home, "-n", "1"); !strings.HasPrefix(out, "2026-03-01 11:00") {
		t.Errorf("the last: %s", out)
	}
	if code, _ := hooksLog(t, home, "-n", "-1"); code != ExitUsage {
		t.Errorf("a negative number of lines: exit code %d", code)
	}
}

func TestHooksLogWithNothing(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if code, out := hooksLog(t, home); code != 0 || !strings.Contains(out, "mneme install") {
		t.Errorf("exit code %d: %s", code, out)
	}
	code, out := hooksLog(t, home, "--json")
	var got hooksJSON
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || got.Log == nil || got.Quarantined == nil {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("asking created the data folder")
	}
}

type nothing struct{}

func (nothing) Redact(s string) (string, []string) { return s, nil }

// refuser takes nothing.
type refuser struct{}

func (refuser) StoreOnce(context.Context, string, memory.StoreInput) (memory.StoreResult, error) {
	return memory.StoreResult{}, memory.Errorf(memory.Invalid, "", "not this one")
}

func (refuser) CreditOnce(context.Context, string, memory.CreditInput) (memory.CreditResult, error) {
	return memory.CreditResult{}, nil
}
func (refuser) Record(context.Context, []memory.Event) error { return nil }

func TestHooksLogShowsWhatCouldNotBeDelivered(t *testing.T) {
	t.Parallel()
	home := hookHome(t)
	waiting := spool.Open(home, nothing{})
	add := func(key string) {
		t.Helper()
		if err := waiting.Add(spool.Entry{Key: key, Store: &memory.StoreInput{Text: "fact"}}); err != nil {
			t.Fatal(err)
		}
	}
	add("bad")
	if _, err := waiting.Drain(t.Context(), refuser{}); err != nil {
		t.Fatal(err)
	}
	add("good")
	_, out := hooksLog(t, home)
	if !strings.Contains(out, "could not be stored: store of") || !strings.Contains(out, "not this one") || !strings.Contains(out, "1 request waiting") {
		t.Errorf("shown:\n%s", out)
	}
}
