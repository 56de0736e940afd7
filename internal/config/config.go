package config

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// FileName is the name of the configuration file in the home folder.
const FileName = "config.toml"

// Words that stand in the place of a path.
const (
	Fetched = "fetched" // for [Postgres.Bin]: binaries that mneme fetched, never the machine's own
	None    = "none"    // for [Qdrant.Binary]: no program, but the embedded server
)

// fromDefault is the source of what nobody has set.
const fromDefault = "default"

// Config is every setting. Make it with [Load].
type Config struct {
	Home      string // data folder, absolute; default ~/.mneme
	Ledger    string // identity of the ledger that doors ask; empty means the home's, or the only one
	Temporal  Temporal
	Postgres  Postgres
	Qdrant    Qdrant
	Ollama    Ollama
	UI        UI
	Hooks     Hooks
	Project   string // default project of store and recall; empty means that of the current folder
	Autostart bool   // whether what Claude Code starts may start the daemon; default true
	Nightly   bool   // whether the daemon imports Claude Code's history every night; default false
	User      string // operating system user, for the audit

	sources map[string]string // by name of the setting
}

// Temporal says where Temporal is.
type Temporal struct {
	Address   string // host:port; empty means embedded
	Namespace string // default "default"
	APIKey    string // secret, sent over TLS only; empty means none
	TLS       TLS
	// KeyFile holds the keys of what Temporal keeps; without a setting it lies in the home.
	KeyFile string
	// KeyFileGiven says that KeyFile was set: then it is not made where it is missing.
	KeyFileGiven bool
	// KeyCommand prints those keys instead; empty means that they are in KeyFile.
	KeyCommand string
	// Timeout bounds the connection of a command or a tool to Temporal. Default 3s; zero means that too.
	Timeout time.Duration
}

// Postgres says where PostgreSQL is.
type Postgres struct {
	URL string // postgres://…; empty means embedded
	// Bin is the folder with initdb and postgres for the embedded one. Empty means the
	// machine's own, or fetched ones when it has none; Fetched means fetched ones always.
	Bin string
}

// Qdrant says where Qdrant is.
type Qdrant struct {
	Address string // host:port of gRPC; empty means a qdrant binary if found, else embedded
	APIKey  string // secret; empty means none
	Prefix  string // begins the names of the collections; empty means nothing does
	// Binary is the program to run when Address is empty. Empty means the one that PATH
	// leads to, if any; None means the embedded server always.
	Binary string
	TLS    TLS // of the server at Address
	// Timeout bounds a call; one over a whole collection gets twelve times as long. Default 10s.
	Timeout time.Duration
}

// Ollama says where Ollama is and which models to use.
type Ollama struct {
	URL        string // empty means one that runs on the usual port, else embedded
	EmbedModel string // empty means automatic
	ChatModel  string // empty means none: summaries are extractive
	// Timeout bounds one call for embeddings; the first one also loads the model. Default 1m.
	Timeout time.Duration
}

// UI says where the embedded Temporal UI listens.
type UI struct {
	Port int // on loopback; 0 means any free port; default 8233
}

// Setting is one line of "mneme config".
type Setting struct {
	Name   string `json:"name"`   // such as "ollama.url"
	Value  string `json:"value"`  // secrets masked
	Source string `json:"source"` // such as "env MNEME_OLLAMA_URL" or "file config.toml:3"
}

// Settings lists all settings in a fixed order, secrets masked.
func (c Config) Settings() []Setting {
	out := make([]Setting, 0, len(specs()))
	for _, s := range specs() {
		out = append(out, Setting{Name: s.name, Value: s.shown(s.at(&c).String()), Source: c.Source(s.name)})
	}
	return out
}

// Source says where the value of a setting came from, "default" if unknown.
func (c Config) Source(name string) string {
	if s := c.sources[name]; s != "" {
		return s
	}
	return fromDefault
}

// String lists the settings with secrets masked, so that a printed Config
// gives nothing away.
func (c Config) String() string {
	var b strings.Builder
	for _, s := range c.Settings() {
		fmt.Fprintf(&b, "%s=%q ", s.Name, s.Value)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// GoString is [Config.String], so that %#v is as discreet.
func (c Config) GoString() string { return c.String() }

// LogValue is [Config.String] for slog.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
