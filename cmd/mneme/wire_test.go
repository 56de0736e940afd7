package main

import (
	"bytes"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	embeddedqdrant "github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/cli"
	"github.com/mneme-memory/mneme/internal/doctor"
)

// mneme runs a command in this process, with the real adapters and a home of its own.
func mneme(t *testing.T, env map[string]string, args ...string) (code int, out string) {
	t.Helper()
	if env["MNEME_HOME"] == "" {
		t.Fatal("a test needs a home of its own")
	}
	var stdout, stderr bytes.Buffer
	code = cli.Main(t.Context(), cli.System{
		Args: args, Env: func(name string) string { return env[name] }, Dir: t.TempDir(),
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Now: time.Now, Executable: func() (string, error) { return "/opt/mneme/bin/mneme", nil },
	}, deps())
	t.Logf("mneme %s: exit %d\n%s%s", strings.Join(args, " "), code, &stdout, &stderr)
	return code, stdout.String()
}

// statuses runs doctor and returns the status of each check.
func statuses(t *testing.T, env map[string]string) (code int, of map[string]doctor.Result) {
	t.Helper()
	code, out := mneme(t, env, "doctor", "--json")
	var results []doctor.Result
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		t.Fatal(err)
	}
	of = map[string]doctor.Result{}
	for _, r := range results {
		of[r.Name] = r
	}
	return code, of
}

// TestDoctorNamesOneCause examines a home where nothing runs: that is the one failure, and what
// follows from it is not asked.
func TestDoctorNamesOneCause(t *testing.T) {
	t.Parallel()
	code, of := statuses(t, map[string]string{"MNEME_HOME": t.TempDir()})
	for name, r := range of {
		if (r.Status == doctor.Fail) != (name == "daemon") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if code != cli.ExitDown || of["recall"].Status != doctor.Skip || !strings.Contains(of["recall"].Detail, "first mend daemon") {
		t.Errorf("exit %d, recall %+v", code, of["recall"])
	}
}

// TestDeadAddresses asks servers at addresses where nothing listens: each is told to be down,
// with the setting to look at.
func TestDeadAddresses(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"MNEME_HOME": t.TempDir(), "MNEME_TEMPORAL_ADDRESS": dead(t), "MNEME_QDRANT_ADDRESS": dead(t),
		"MNEME_POSTGRES_URL": "postgres://me:very-secret@" + dead(t) + "/mneme", "MNEME_OLLAMA_URL": "http://" + dead(t),
	}
	code, of := statuses(t, env)
	for name, setting := range map[string]string{
		"Temporal": "MNEME_TEMPORAL_ADDRESS", "PostgreSQL": "MNEME_POSTGRES_URL", "Qdrant": "MNEME_QDRANT_ADDRESS", "Ollama": "MNEME_OLLAMA_URL",
	} {
		if r := of[name]; r.Status != doctor.Fail || !strings.Contains(r.Hint, setting) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if code != cli.ExitDown || of["worker"].Status != doctor.Skip || of["model"].Status != doctor.Skip {
		t.Errorf("exit %d, %+v, %+v", code, of["worker"], of["model"])
	}
	code, out := mneme(t, env, "status")
	if code != cli.ExitDown || strings.Count(out, "down  ") != 4 || strings.Contains(out, "very-secret") {
		t.Errorf("status: exit %d\n%s", code, out)
	}
}

// TestWrongKey asks a Qdrant with another key than its own, and then with its own: what was
// wrong is no longer told.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	server, err := embeddedqdrant.Start(t.Context(), embeddedqdrant.Options{Dir: t.TempDir(), APIKey: "right"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	env := map[string]string{"MNEME_HOME": t.TempDir(), "MNEME_QDRANT_ADDRESS": server.Addr(), "MNEME_QDRANT_API_KEY": "wrong"}
	if _, of := statuses(t, env); of["Qdrant"].Status != doctor.Fail || !strings.Contains(of["Qdrant"].Hint, "MNEME_QDRANT_API_KEY") {
		t.Errorf("the wrong key: %+v", of["Qdrant"])
	}
	env["MNEME_QDRANT_API_KEY"] = "right"
	if _, of := statuses(t, env); of["Qdrant"].Status != doctor.OK || !strings.Contains(of["Qdrant"].Detail, embeddedqdrant.Version) {
		t.Errorf("the right key: %+v", of["Qdrant"])
	}
}

// dead is an address where nothing listens.
func dead(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
