package config

import (
	"slices"
	"time"
)

// placeSpecs are the settings of where the parts are that keep things.
func placeSpecs() []spec {
	return slices.Concat([]spec{{
		name: "ledger", env: "MNEME_LEDGER", flag: "ledger",
		usage: "identity of the ledger, where several share a Temporal namespace", check: checkLedger,
		at: func(c *Config) field { return (*text)(&c.Ledger) },
	}}, temporalSpecs(), postgresSpecs(), qdrantSpecs())
}

func temporalSpecs() []spec {
	return append([]spec{
		{
			name: "temporal.address", env: "MNEME_TEMPORAL_ADDRESS", flag: "temporal-address",
			usage: "host:port of a Temporal server", check: checkAddress("127.0.0.1:7233"),
			at: func(c *Config) field { return (*text)(&c.Temporal.Address) },
		},
		{
			name: "temporal.namespace", env: "MNEME_TEMPORAL_NAMESPACE", flag: "temporal-namespace", def: "default",
			usage: "Temporal namespace", check: checkWord,
			at: func(c *Config) field { return (*text)(&c.Temporal.Namespace) },
		},
		{ // No flag: a command line is readable by every user of the machine.
			name: "temporal.api_key", env: "MNEME_TEMPORAL_API_KEY",
			usage: "secret of Temporal", mask: maskAll,
			at: func(c *Config) field { return (*text)(&c.Temporal.APIKey) },
		},
		{
			name: "temporal.key_command", env: "MNEME_TEMPORAL_KEY_COMMAND",
			usage: "command that prints the keys of what Temporal keeps; without it, keys/payload.keys",
			at:    func(c *Config) field { return (*text)(&c.Temporal.KeyCommand) },
		},
		{
			name: keyFileName, env: "MNEME_TEMPORAL_KEY_FILE",
			usage: "file with the keys of what Temporal keeps, if not keys/payload.keys; temporal.key_command comes first", check: checkFile,
			at: func(c *Config) field { return (*text)(&c.Temporal.KeyFile) },
		},
		timeoutSpec("temporal.timeout", "MNEME_TEMPORAL_TIMEOUT", "3s", "how long a command waits for the connection to Temporal",
			func(c *Config) *time.Duration { return &c.Temporal.Timeout }),
	}, tlsSpecs("temporal", "MNEME_TEMPORAL", func(c *Config) *TLS { return &c.Temporal.TLS })...)
}

func postgresSpecs() []spec {
	return []spec{{
		name: "postgres.url", env: "MNEME_POSTGRES_URL", flag: "postgres-url",
		usage: "postgres:// URL of the ledger", check: checkPostgresURL, mask: MaskURL,
		at: func(c *Config) field { return (*text)(&c.Postgres.URL) },
	}}
}

func qdrantSpecs() []spec {
	return append([]spec{
		{
			name: "qdrant.address", env: "MNEME_QDRANT_ADDRESS", flag: "qdrant-address",
			usage: "host:port of Qdrant's gRPC", check: checkAddress("127.0.0.1:6334"),
			at: func(c *Config) field { return (*text)(&c.Qdrant.Address) },
		},
		{ // No flag: a command line is readable by every user of the machine.
			name: "qdrant.api_key", env: "MNEME_QDRANT_API_KEY",
			usage: "secret of Qdrant", mask: maskAll,
			at: func(c *Config) field { return (*text)(&c.Qdrant.APIKey) },
		},
		{
			name: "qdrant.prefix", env: "MNEME_QDRANT_PREFIX", flag: "qdrant-prefix",
			usage: "begins the names of the collections, so that ledgers can share a Qdrant", check: checkPrefix,
			at: func(c *Config) field { return (*text)(&c.Qdrant.Prefix) },
		},
		timeoutSpec("qdrant.timeout", "MNEME_QDRANT_TIMEOUT", "10s", "how long a call of Qdrant may take; over a whole collection 12 times as long",
			func(c *Config) *time.Duration { return &c.Qdrant.Timeout }),
	}, tlsSpecs("qdrant", "MNEME_QDRANT", func(c *Config) *TLS { return &c.Qdrant.TLS })...)
}

// modelSpecs are the settings of who embeds and who summarises.
func modelSpecs() []spec {
	return []spec{
		{
			name: "ollama.url", env: "MNEME_OLLAMA_URL", flag: "ollama-url",
			usage: "http:// URL of Ollama", check: checkHTTPURL, mask: MaskURL,
			at: func(c *Config) field { return (*text)(&c.Ollama.URL) },
		},
		{
			name: "ollama.embed_model", env: "MNEME_EMBED_MODEL", flag: "embed-model",
			usage: "embedding model", check: checkWord,
			at: func(c *Config) field { return (*text)(&c.Ollama.EmbedModel) },
		},
		{
			name: "ollama.chat_model", env: "MNEME_CHAT_MODEL", flag: "chat-model",
			usage: "chat model for summaries", check: checkWord,
			at: func(c *Config) field { return (*text)(&c.Ollama.ChatModel) },
		},
		timeoutSpec("ollama.timeout", "MNEME_OLLAMA_TIMEOUT", "1m", "how long an embedding call may take, the loading of the model included",
			func(c *Config) *time.Duration { return &c.Ollama.Timeout }),
	}
}

// userSpecs are the settings of what a person looks at and works in.
func userSpecs() []spec {
	return []spec{
		{
			name: "ui.port", env: "MNEME_UI_PORT", flag: "ui-port", def: "8233",
			usage: "port of the embedded Temporal UI, 0 for any", check: checkPort,
			at: func(c *Config) field { return (*whole)(&c.UI.Port) },
		},
		{
			name: "project", env: "MNEME_PROJECT",
			usage: "project to work in", check: checkProject,
			at: func(c *Config) field { return (*text)(&c.Project) },
		},
	}
}

// daemonSpecs are the settings of what "mneme up" starts.
func daemonSpecs() []spec {
	return []spec{
		{
			name: "postgres.bin", env: "MNEME_POSTGRES_BIN",
			usage: "folder with initdb and postgres, or " + Fetched, check: checkPath(Fetched),
			at: func(c *Config) field { return (*text)(&c.Postgres.Bin) },
		},
		{
			name: "qdrant.binary", env: "MNEME_QDRANT_BINARY",
			usage: "qdrant program to run, or " + None, check: checkPath(None),
			at: func(c *Config) field { return (*text)(&c.Qdrant.Binary) },
		},
		{
			name: "autostart", env: "MNEME_AUTOSTART", bare: true, def: "true",
			usage: "start mneme with Claude Code", check: checkBool,
			at: func(c *Config) field { return (*yesNo)(&c.Autostart) },
		},
		{
			name: "claude.nightly", env: "MNEME_CLAUDE_NIGHTLY", bare: true, def: "false",
			usage: "import Claude Code's history every night", check: checkBool,
			at: func(c *Config) field { return (*yesNo)(&c.Nightly) },
		},
	}
}

// hookSpecs are the settings of what mneme-hook injects and takes.
func hookSpecs() []spec {
	return []spec{
		{
			name: "hooks.session_start.limit", env: "MNEME_HOOKS_SESSION_START_LIMIT", def: "5",
			usage: "memories injected when a session starts", check: checkWhole(0, 20),
			at: func(c *Config) field { return (*whole)(&c.Hooks.SessionStart.Limit) },
		},
		{
			name: "hooks.session_start.min_score", env: "MNEME_HOOKS_SESSION_START_MIN_SCORE", bare: true, def: "0.7",
			usage: "score (chance that a memory fits) above which they are", check: checkShare,
			at: func(c *Config) field { return (*share)(&c.Hooks.SessionStart.MinScore) },
		},
		{
			name: "hooks.session_start.tokens", env: "MNEME_HOOKS_SESSION_START_TOKENS", def: "1200",
			usage: "tokens they may take", check: checkWhole(100, 2400),
			at: func(c *Config) field { return (*whole)(&c.Hooks.SessionStart.Tokens) },
		},
		{
			name: "hooks.prompt.enabled", env: "MNEME_HOOKS_PROMPT_ENABLED", bare: true, def: "false",
			usage: "recall for every prompt", check: checkBool,
			at: func(c *Config) field { return (*yesNo)(&c.Hooks.Prompt.Enabled) },
		},
		{
			name: "hooks.prompt.tokens", env: "MNEME_HOOKS_PROMPT_TOKENS", def: "300",
			usage: "tokens that may take", check: checkWhole(50, 1200),
			at: func(c *Config) field { return (*whole)(&c.Hooks.Prompt.Tokens) },
		},
		{
			name: "hooks.extract.max", env: "MNEME_HOOKS_EXTRACT_MAX", def: "12",
			usage: "memories taken from one session", check: checkWhole(0, 100),
			at: func(c *Config) field { return (*whole)(&c.Hooks.ExtractMax) },
		},
	}
}

// maxTimeout is the longest time-out of a call: a step of a workflow is given two minutes in all.
const maxTimeout = 100 * time.Second

// timeoutSpec is the setting of one server's time-out.
func timeoutSpec(name, env, def, usage string, of func(*Config) *time.Duration) spec {
	return spec{
		name: name, env: env, def: def, usage: usage, check: checkSpan(maxTimeout),
		at: func(c *Config) field { return (*span)(of(c)) },
	}
}
