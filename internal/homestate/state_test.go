package homestate

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

func TestDaemonState(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if _, err := Read(home); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("absent: %v", err)
	}
	if err := Remove(home); err != nil {
		t.Fatalf("remove absent: %v", err)
	}
	want := Daemon{
		PID: 42, Version: "1", StartedAt: time.Unix(1e9, 0).UTC(), UI: "http://127.0.0.1:1", Model: "m", QdrantAPIKey: "k",
		Services: map[string]Service{TemporalService: {Address: "127.0.0.1:7", Mode: Embedded}},
	}
	for range 2 { // the second replaces the first
		if err := Write(home, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(home)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(Path(home))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(home); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if err := Remove(home); err != nil {
		t.Fatal(err)
	}
}

func TestReadDaemonDamaged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "{}", `{"pid": -1}`, "null"} {
		home := t.TempDir()
		if err := os.WriteFile(Path(home), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(home); err == nil || memory.HintOf(errors.Unwrap(err)) == "" && memory.HintOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTemporalAddress(t *testing.T) {
	t.Parallel()
	cfg := config.Config{Home: t.TempDir()}
	_, err := TemporalAddress(cfg)
	if memory.CodeOf(err) != memory.Unavailable || memory.HintOf(err) != `start it with "mneme up"` {
		t.Errorf("nothing runs: %v", err)
	}
	tell := func(s Service) {
		t.Helper()
		d := Daemon{PID: os.Getpid(), Services: map[string]Service{TemporalService: s}}
		if err := Write(cfg.Home, d); err != nil {
			t.Fatal(err)
		}
	}
	tell(Service{Address: "127.0.0.1:99", Mode: Embedded, Secured: true})
	if got, err := TemporalAddress(cfg); memory.CodeOf(err) != memory.Unavailable || got != "" {
		t.Errorf("what a killed daemon left is trusted: %q, %v", got, err)
	}
	release, held, err := Hold(t.Context(), cfg.Home)
	if err != nil || !held {
		t.Fatalf("hold: %v, %v", held, err)
	}
	defer release()
	if got, err := TemporalServer(cfg); err != nil || got.Address != "127.0.0.1:99" || got.TLS != config.HomeTLS(cfg.Home) {
		t.Errorf("from the daemon: %+v, %v", got, err)
	}
	tell(Service{Address: "127.0.0.1:99", Mode: Embedded})
	if _, err := TemporalServer(cfg); memory.CodeOf(err) != memory.Unavailable || !strings.Contains(memory.HintOf(err), `"mneme down"`) {
		t.Errorf("from a daemon without a key: %v", err)
	}
	tell(Service{Address: "there:2", Mode: Given})
	if got, err := TemporalServer(cfg); err != nil || got.Address != "there:2" || got.TLS.On {
		t.Errorf("from a daemon that was given one: %+v, %v", got, err)
	}
	cfg.Temporal.Address = "there:1"
	if got, err := TemporalAddress(cfg); err != nil || got != "there:1" {
		t.Errorf("given: %q, %v", got, err)
	}
}
