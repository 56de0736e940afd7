package homestate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// The names of the services in [Daemon.Services], in the order they are shown.
const (
	TemporalService = "temporal"
	PostgresService = "postgres"
	QdrantService   = "qdrant"
	OllamaService   = "ollama"
)

// ServiceNames lists the services in the order they are shown.
func ServiceNames() []string {
	return []string{TemporalService, PostgresService, QdrantService, OllamaService}
}

// The modes of a service.
const (
	Given    = "given"    // the address is a setting
	Found    = "found"    // found on the machine
	Embedded = "embedded" // started by mneme
)

// Daemon is what a running "mneme up" tells other processes. The file exists
// from when everything is ready until the daemon stops; after a kill -9 it may
// be stale.
type Daemon struct {
	PID       int                `json:"pid"`
	Version   string             `json:"version"`
	StartedAt time.Time          `json:"started_at"`
	Services  map[string]Service `json:"services"`
	UI        string             `json:"ui,omitempty"`     // URL of the Temporal UI, empty if there is none
	Model     string             `json:"model,omitempty"`  // embedding model in use
	Ledger    string             `json:"ledger,omitempty"` // identity of the ledger; empty from a mneme that knew none

	// UIKey is the secret that signs links into the UI, see package uilink.
	UIKey string `json:"ui_key,omitempty"`
	// Console is the URL of the console, and ConsoleKey the secret that signs links into it.
	Console    string `json:"console,omitempty"`
	ConsoleKey string `json:"console_key,omitempty"`
	// QdrantAPIKey is the secret of an embedded Qdrant server. It is for
	// programs that dial it, never for a screen.
	QdrantAPIKey string `json:"qdrant_api_key,omitempty"`
}

// Service says where one of the four services is and why this one is used. It holds for as long
// as the daemon runs; how the service is at a moment, only the service itself can tell.
type Service struct {
	Address string `json:"address"` // without secrets
	Mode    string `json:"mode"`    // Given, Found or Embedded
	// Secured says that the server shows the home's certificate and wants to see it: call
	// it with [config.HomeTLS].
	Secured bool   `json:"secured,omitempty"`
	Note    string `json:"note,omitempty"` // why it is this one and not another, if that may surprise
}

// Where returns the services by name: those that the running daemon d uses, or without a
// daemon (zero) those whose address is set. An unknown service has no address.
func Where(cfg config.Config, d Daemon) map[string]Service {
	out := map[string]Service{
		TemporalService: {Address: cfg.Temporal.Address},
		PostgresService: {Address: config.MaskURL(cfg.Postgres.URL)},
		QdrantService:   {Address: cfg.Qdrant.Address},
		OllamaService:   {Address: config.MaskURL(cfg.Ollama.URL)},
	}
	for name, s := range out {
		s.Mode = Embedded
		if s.Address != "" {
			s.Mode = Given
		}
		if running, ok := d.Services[name]; ok {
			s = running
		}
		out[name] = s
	}
	return out
}

// Path returns where a home's state file is.
func Path(home string) string { return filepath.Join(home, "daemon.json") }

// LogPath returns where a detached daemon of a home writes its log.
func LogPath(home string) string { return filepath.Join(home, "logs", "mneme.log") }

// Write replaces the state file in one step, readable by the user only.
func Write(home string, d Daemon) error {
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode daemon state: %w", err)
	}
	if err := renameio.WriteFile(Path(home), append(data, '\n'), 0o600, renameio.WithTempDir(home)); err != nil {
		return fmt.Errorf("write daemon state: %w", err)
	}
	return nil
}

// Read reads the state file. The error is [os.ErrNotExist] when there is
// none.
func Read(home string) (Daemon, error) {
	var d Daemon
	data, err := os.ReadFile(Path(home))
	if err != nil {
		return d, fmt.Errorf("read daemon state: %w", err)
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, memory.Errorf(memory.Internal, `stop the daemon and start it again with "mneme up"`,
			"read daemon state %s: %w", Path(home), err)
	}
	if d.PID <= 0 {
		return d, memory.Errorf(memory.Internal, `stop the daemon and start it again with "mneme up"`,
			"read daemon state %s: it names no process", Path(home))
	}
	return d, nil
}

// Remove removes the state file. None being there is fine.
func Remove(home string) error {
	if err := os.Remove(Path(home)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove daemon state: %w", err)
	}
	return nil
}

// TemporalServer returns how to reach Temporal: the server that was set, else the running
// daemon's, else an Unavailable error that says how to start one. A state file that a killed
// daemon left names nobody: its port may be another program's by now.
func TemporalServer(cfg config.Config) (config.Temporal, error) {
	t := cfg.Temporal
	if t.Address != "" {
		return t, nil
	}
	d, ready, err := Running(cfg.Home)
	s := d.Services[TemporalService]
	switch {
	case err != nil:
		return t, memory.Down("Temporal", startHint, err)
	case ready && s.Mode == Embedded && !s.Secured:
		return t, memory.Down("Temporal", `"mneme down", then "mneme up"`,
			fmt.Errorf("the mneme that runs (version %s) is of an older release, which knows no key", d.Version))
	case ready && s.Address != "":
		t.Address = s.Address
		if s.Secured {
			t.TLS = config.HomeTLS(cfg.Home)
		}
		return t, nil
	}
	if pid, err := Holder(cfg.Home); err == nil && pid != 0 {
		return t, memory.Down("Temporal", `try again in a moment, or see "mneme status"`, fmt.Errorf("mneme is still starting (process %d)", pid))
	}
	return t, memory.Down("Temporal", startHint, fmt.Errorf("mneme is not running (data folder %s)", cfg.Home))
}

const startHint = `start it with "mneme up"`

// TemporalAddress is the address of [TemporalServer].
func TemporalAddress(cfg config.Config) (string, error) {
	t, err := TemporalServer(cfg)
	return t.Address, err
}
