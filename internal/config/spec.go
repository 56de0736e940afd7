package config

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

const (
	fromDefault = "default"
	masked      = "***"
)

// spec describes one setting: where it may come from and what it may be.
type spec struct {
	name   string // also its key in the file, dots being tables
	env    string // "" if the environment cannot set it
	flag   string // without dashes; "" if no flag can set it
	file   bool   // whether the file can set it
	bare   bool   // whether the file may give true, false or a fraction without quotes
	usage  string
	def    string
	shown  func(string) string // the form that may be printed
	check  func(string) (problem, hint string)
	get    func(*Config) string
	set    func(*Config, string)
	secret bool
}

// Flag is a setting that a flag can set, for building command lines.
type Flag struct {
	Name    string // of the flag, without dashes
	Setting string // key for [Sources.Flags]
	Env     string // the variable that sets the same
	Usage   string
}

// Flags lists the settings that flags can set.
func Flags() []Flag {
	var out []Flag
	for _, s := range specs() {
		if s.flag != "" {
			out = append(out, Flag{Name: s.flag, Setting: s.name, Env: s.env, Usage: s.usage})
		}
	}
	return out
}

func specs() []spec {
	all := []spec{
		{
			name: "home", env: "MNEME_HOME", flag: "home", usage: "data folder",
			get: func(c *Config) string { return c.Home }, set: func(c *Config, v string) { c.Home = v },
		},
		{
			name: "temporal.address", env: "MNEME_TEMPORAL_ADDRESS", flag: "temporal-address", file: true,
			usage: "host:port of a Temporal server", check: checkAddress("127.0.0.1:7233"),
			get: func(c *Config) string { return c.Temporal.Address }, set: func(c *Config, v string) { c.Temporal.Address = v },
		},
		{
			name: "temporal.namespace", env: "MNEME_TEMPORAL_NAMESPACE", flag: "temporal-namespace", file: true, def: "default",
			usage: "Temporal namespace", check: checkWord,
			get: func(c *Config) string { return c.Temporal.Namespace }, set: func(c *Config, v string) { c.Temporal.Namespace = v },
		},
		{
			name: "temporal.task_queue", env: "MNEME_TEMPORAL_TASK_QUEUE", flag: "temporal-task-queue", file: true, def: "mneme",
			usage: "Temporal task queue", check: checkWord,
			get: func(c *Config) string { return c.Temporal.TaskQueue }, set: func(c *Config, v string) { c.Temporal.TaskQueue = v },
		},
		{
			name: "postgres.url", env: "MNEME_POSTGRES_URL", flag: "postgres-url", file: true,
			usage: "postgres:// URL of the ledger", check: checkPostgresURL, shown: MaskURL,
			get: func(c *Config) string { return c.Postgres.URL }, set: func(c *Config, v string) { c.Postgres.URL = v },
		},
		{
			name: "qdrant.address", env: "MNEME_QDRANT_ADDRESS", flag: "qdrant-address", file: true,
			usage: "host:port of Qdrant's gRPC", check: checkAddress("127.0.0.1:6334"),
			get: func(c *Config) string { return c.Qdrant.Address }, set: func(c *Config, v string) { c.Qdrant.Address = v },
		},
		{
			// No flag: a command line is readable by every user of the machine.
			name: "qdrant.api_key", env: "MNEME_QDRANT_API_KEY", file: true, secret: true, shown: maskAll,
			get: func(c *Config) string { return c.Qdrant.APIKey }, set: func(c *Config, v string) { c.Qdrant.APIKey = v },
		},
		{
			name: "ollama.url", env: "MNEME_OLLAMA_URL", flag: "ollama-url", file: true,
			usage: "http:// URL of Ollama", check: checkHTTPURL, shown: MaskURL,
			get: func(c *Config) string { return c.Ollama.URL }, set: func(c *Config, v string) { c.Ollama.URL = v },
		},
		{
			name: "ollama.embed_model", env: "MNEME_EMBED_MODEL", flag: "embed-model", file: true,
			usage: "embedding model", check: checkWord,
			get: func(c *Config) string { return c.Ollama.EmbedModel }, set: func(c *Config, v string) { c.Ollama.EmbedModel = v },
		},
		{
			name: "ollama.chat_model", env: "MNEME_CHAT_MODEL", flag: "chat-model", file: true,
			usage: "chat model for summaries", check: checkWord,
			get: func(c *Config) string { return c.Ollama.ChatModel }, set: func(c *Config, v string) { c.Ollama.ChatModel = v },
		},
		{
			name: "ui.port", env: "MNEME_UI_PORT", flag: "ui-port", file: true, def: "8233",
			usage: "port of the embedded Temporal UI, 0 for any", check: checkPort,
			get: func(c *Config) string { return strconv.Itoa(c.UI.Port) },
			set: func(c *Config, v string) { c.UI.Port, _ = strconv.Atoi(v) }, // checked before
		},
		{
			name: "project", env: "MNEME_PROJECT", file: true, usage: "project to work in", check: checkProject,
			get: func(c *Config) string { return c.Project }, set: func(c *Config, v string) { c.Project = v },
		},
	}
	all = append(all, daemonSpecs()...)
	all = append(all, hookSpecs()...)
	for i := range all {
		if all[i].shown == nil {
			all[i].shown = func(v string) string { return v }
		}
		if all[i].check == nil {
			all[i].check = func(string) (string, string) { return "", "" }
		}
	}
	return all
}

func maskAll(v string) string {
	if v == "" {
		return ""
	}
	return masked
}

// MaskURL returns a URL with its password, and every query parameter that is
// called like one, replaced by ***. What is not a URL is masked altogether.
func MaskURL(raw string) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return masked
	}
	out := u.Scheme + "://"
	if u.User != nil {
		out += url.PathEscape(u.User.Username())
		if _, has := u.User.Password(); has {
			out += ":" + masked
		}
		out += "@"
	}
	out += u.Host + u.EscapedPath()
	return out + maskQuery(u.Query())
}

func maskQuery(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	for key := range q {
		lower := strings.ToLower(key)
		for _, word := range []string{"pass", "key", "secret", "token"} {
			if strings.Contains(lower, word) {
				q.Set(key, masked)
			}
		}
	}
	return "?" + strings.ReplaceAll(q.Encode(), url.QueryEscape(masked), masked)
}

func checkAddress(example string) func(string) (string, string) {
	hint := "write host:port, such as " + example
	return func(v string) (string, string) {
		if strings.Contains(v, "://") {
			return "is a URL, not an address", hint + ", without a scheme"
		}
		host, port, err := net.SplitHostPort(v)
		if err != nil {
			return "is not an address", hint
		}
		if host == "" || strings.ContainsAny(host, " /@") {
			return "names no host", hint
		}
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Sprintf("has the port %q, which is not 1 to 65535", port), hint
		}
		return "", ""
	}
}

func checkWord(v string) (string, string) {
	if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r == 0x7f }) || len(v) > memory.MaxNameBytes {
		return "is not a name", fmt.Sprintf("write one word of at most %d bytes", memory.MaxNameBytes)
	}
	return "", ""
}

func checkProject(v string) (string, string) {
	if err := memory.CheckName("project", v); err != nil {
		return "is not a project: " + err.Error(), memory.HintOf(err)
	}
	return "", ""
}

func checkPostgresURL(v string) (string, string) {
	const hint = "write postgres://user:password@host:5432/database (special characters in the password %-encoded)"
	// The parser's own words would repeat the password.
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return "is not a PostgreSQL URL", hint
	}
	if u.Host == "" && u.Query().Get("host") == "" {
		return "names no host", hint
	}
	return "", ""
}

func checkHTTPURL(v string) (string, string) {
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "is not an HTTP URL", "write http://host:port, such as http://127.0.0.1:11434"
	}
	return "", ""
}

func checkPort(v string) (string, string) {
	if n, err := strconv.Atoi(v); err != nil || n < 0 || n > 65535 {
		return "is not a port", "write a number from 0 (any free port) to 65535"
	}
	return "", ""
}
