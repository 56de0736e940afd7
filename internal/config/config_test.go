package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func writeConfig(t *testing.T, text string) (home string) {
	t.Helper()
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Sources{Env: env("HOME", "/home/me")})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Home != "/home/me/.mneme" || cfg.Temporal.Namespace != "default" || cfg.UI.Port != 8233 {
		t.Errorf("defaults: %v", cfg)
	}
	if cfg.User == "" {
		t.Error("no user")
	}
	if s := cfg.Source("temporal.namespace"); s != "default" {
		t.Errorf("source %q", s)
	}
}

func TestLoadPrecedence(t *testing.T) {
	t.Parallel()
	home := writeConfig(t, "# mine\nollama.embed_model = \"from-file\"\n\n[temporal]\n  namespace = 'file-ns'\naddress=\"file:1\"\n[ui]\nport = 9000\n")
	cfg, err := Load(Sources{
		Env:   env("MNEME_HOME", home, "MNEME_TEMPORAL_NAMESPACE", "env-ns", "MNEME_EMBED_MODEL", " env-model \n"),
		Flags: map[string]string{"ollama.embed_model": "flag-model"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want, source string }{
		{"ollama.embed_model", cfg.Ollama.EmbedModel, "flag-model", "flag --embed-model"},
		{"temporal.namespace", cfg.Temporal.Namespace, "env-ns", "env MNEME_TEMPORAL_NAMESPACE"},
		{"temporal.address", cfg.Temporal.Address, "file:1", "file config.toml:6"},
		{"ui.port", fmt.Sprint(cfg.UI.Port), "9000", "file config.toml:8"},
		{"home", cfg.Home, home, "env MNEME_HOME"},
	} {
		if c.got != c.want || cfg.Source(c.name) != c.source {
			t.Errorf("%s: %q from %q, want %q from %q", c.name, c.got, cfg.Source(c.name), c.want, c.source)
		}
	}
}

func TestLoadTellsAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	home := writeConfig(t, "[ui]\nport = 70000\nshape = \"round\"\n[qdrant]\napi_key = true\n")
	_, err := Load(Sources{Env: env(
		"MNEME_HOME", home, "MNEME_TEMPORAL_ADDRESS", "localhost", "MNEME_QDRANT_ADDRESS", "http://localhost:6333",
		"MNEME_OLLAMA_URL", "localhost:11434", "MNEME_POSTGRES_URL", "host=db password=hunter2",
	)})
	var bad Problems
	if !errors.As(err, &bad) || len(bad) != 7 {
		t.Fatalf("want 7 problems, got %v", err)
	}
	if memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
		t.Errorf("code %s, hint %q", memory.CodeOf(err), memory.HintOf(err))
	}
	for _, want := range []string{
		"file config.toml:2: \"70000\" is not a port", "file config.toml:3: there is no setting \"ui.shape\"",
		"file config.toml:5: qdrant.api_key must be text", "env MNEME_TEMPORAL_ADDRESS: \"localhost\" is not an address",
		"env MNEME_QDRANT_ADDRESS: \"http://localhost:6333\" is a URL", "env MNEME_OLLAMA_URL", "env MNEME_POSTGRES_URL: \"***\" is not a PostgreSQL URL",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is in the error: %v", err)
	}
}

// TestLoadSaysWhatIsNoSettingAnyMore has a file from before the task queue had one name.
func TestLoadSaysWhatIsNoSettingAnyMore(t *testing.T) {
	t.Parallel()
	home := writeConfig(t, "[temporal]\nnamespace = \"n\"\ntask_queue = \"mine\"\n")
	_, err := Load(Sources{Env: env("MNEME_HOME", home)})
	const want = "file config.toml:3: temporal.task_queue is no setting any more: every worker listens where every door asks; take the line out"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLoadSyntaxError(t *testing.T) {
	t.Parallel()
	home := writeConfig(t, "[ui]\nport = = 3\n")
	_, err := Load(Sources{Env: env("MNEME_HOME", home)})
	if err == nil || !strings.Contains(err.Error(), "config.toml:2: is not TOML") {
		t.Errorf("got %v", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	check := checkAddress("x:1")
	for v, ok := range map[string]bool{
		"127.0.0.1:7233": true, "[::1]:7233": true, "temporal.example.org:443": true, "0.0.0.0:1": true,
		"": false, "localhost": false, ":7233": false, "a:0": false, "a:65536": false, "a:b": false, "a b:1": false,
		"http://a:1": false, "::1:7233": false, "me@a:1": false,
	} {
		if problem, hint := check(v); (problem == "") != ok || (problem != "" && hint == "") {
			t.Errorf("%q: problem %q, hint %q, want ok %v", v, problem, hint, ok)
		}
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Sources{Env: env(
		"HOME", "/h", "MNEME_QDRANT_API_KEY", "hunter2", "MNEME_POSTGRES_URL", "postgres://me:hunter2@db/mem?sslpassword=hunter2&sslmode=require",
		"MNEME_OLLAMA_URL", "https://me:hunter2@gpu/",
	)})
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{
		fmt.Sprint(cfg), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%#v", cfg), fmt.Sprint(&cfg), fmt.Sprint(cfg.Settings()), cfg.LogValue().String(),
	} {
		if strings.Contains(printed, "hunter2") {
			t.Errorf("a secret is in %s", printed)
		}
	}
	want := "postgres://me:***@db/mem?sslmode=require&sslpassword=***"
	if got := MaskURL(cfg.Postgres.URL); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEverySettingCanBeRead(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"temporal.address": "a:1", "temporal.namespace": "n", "temporal.api_key": "t", "temporal.key_command": "pass mneme", "postgres.url": "postgres://h/d",
		keyFileName: "/t/keys", "temporal.tls": "true", "temporal.tls_ca": "/t/ca", "temporal.tls_cert": "/t/cert", "temporal.tls_key": "/t/key",
		"qdrant.tls": "true", "qdrant.tls_ca": "/q/ca", "qdrant.tls_cert": "/q/cert", "qdrant.tls_key": "/q/key",
		"qdrant.address": "b:2", "qdrant.api_key": "k", "qdrant.prefix": "work-", "ledger": "0a1b2c3d-0000-4000-8000-000000000000", "ollama.url": "http://o:3", "ollama.embed_model": "e",
		"temporal.timeout": "4s", "qdrant.timeout": "5s", "ollama.timeout": "1m30s",
		"ollama.chat_model": "c", "ui.port": "0", "postgres.bin": "/opt/pg/bin", "qdrant.binary": "none", "autostart": "false", "claude.nightly": "true", "project": `o'hara/"x"`,
		"hooks.session_start.limit": "0", "hooks.session_start.min_score": "0.65", "hooks.session_start.tokens": "800",
		"hooks.prompt.enabled": "true", "hooks.prompt.tokens": "100", "hooks.extract.max": "3",
	}
	set := []string{"HOME", "/h"}
	for _, s := range specs() {
		if s.name == "home" {
			continue
		}
		if values[s.name] == "" {
			t.Fatalf("add a value for %s", s.name)
		}
		set = append(set, s.env, values[s.name])
	}
	cfg, err := Load(Sources{Env: env(set...)})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs() {
		if s.name == "home" {
			continue
		}
		if got := s.at(&cfg).String(); got != values[s.name] {
			t.Errorf("%s: got %q, want %q", s.name, got, values[s.name])
		}
	}
}

func TestContradictionsAreRefused(t *testing.T) {
	t.Parallel()
	const temporal, qdrant = "MNEME_TEMPORAL_ADDRESS=a:1 ", "MNEME_QDRANT_ADDRESS=b:2 "
	for set, want := range map[string]string{
		"MNEME_TEMPORAL_TLS=true":                                                         "temporal.address",
		"MNEME_QDRANT_TLS=true":                                                           "qdrant.address",
		temporal + "MNEME_TEMPORAL_API_KEY=hunter2":                                       "in the clear",
		temporal + "MNEME_TEMPORAL_TLS_CA=/ca":                                            "temporal.tls to true",
		qdrant + "MNEME_QDRANT_TLS_CERT=/c MNEME_QDRANT_TLS_KEY=/k":                       "qdrant.tls to true",
		qdrant + "MNEME_QDRANT_TLS=true MNEME_QDRANT_TLS_CERT=/c":                         "private key",
		qdrant + "MNEME_QDRANT_TLS=true MNEME_QDRANT_TLS_KEY=/k":                          "needs a certificate",
		qdrant + "MNEME_QDRANT_TLS=true MNEME_QDRANT_TLS_CA=ca.pem":                       "absolute path",
		temporal + "MNEME_TEMPORAL_TLS=maybe":                                             "true or false",
		temporal + "MNEME_TEMPORAL_TLS=true MNEME_TEMPORAL_API_KEY=hunter2":               "",
		"MNEME_LEDGER=mine":                                                               "no identity",
		qdrant + "MNEME_QDRANT_PREFIX=a/b":                                                "letters, digits",
		qdrant + "MNEME_QDRANT_API_KEY=hunter2":                                           "",
		qdrant + "MNEME_QDRANT_TLS=true MNEME_QDRANT_TLS_CERT=/c MNEME_QDRANT_TLS_KEY=/k": "",
	} {
		pairs := []string{"HOME", "/h"}
		for _, one := range strings.Fields(set) {
			name, value, _ := strings.Cut(one, "=")
			pairs = append(pairs, name, value)
		}
		_, err := Load(Sources{Env: env(pairs...)})
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: got %v, want %q", set, err, want)
		}
	}
}

// FuzzParseFile checks that no configuration file breaks the reader and that
// every problem says where it is.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{
		"", "[ui]\nport = 1", "a.b.c = 1", "[[x]]\ny=1", "qdrant = {address=\"a:1\"}", "ui.port = \"\x00\"", "\"ui\".'port' = 3", "x = [1,2", "=\n", "[",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, bad := parseFile("config.toml", text)
		for _, p := range bad {
			if p.Reason == "" || !strings.HasPrefix(p.Source, "file config.toml") {
				t.Errorf("problem without place or reason: %+v", p)
			}
		}
		for key, v := range values {
			if v.source == "" || key == "home" {
				t.Errorf("%s has source %q", key, v.source)
			}
		}
	})
}

// FuzzMaskURL checks that a password is not in what is shown.
func FuzzMaskURL(f *testing.F) {
	f.Add("postgres://me:", "@host/db?x=y")
	f.Add("http://", ":p@")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "hunter2hunter2"
		if shown := MaskURL("postgres://me:" + secret + "@host/" + after); strings.Contains(shown, secret) {
			t.Errorf("shown: %s", shown)
		}
		_ = MaskURL(before + secret + after) // must not panic
	})
}

func TestShownAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://mneme@/mneme?host=%2Frun%2Fpg&port=5433": "/run/pg/.s.PGSQL.5433",
		"postgres:///mem?host=/run/pg":                       "/run/pg/.s.PGSQL.5432",
		"127.0.0.1:1":                                        "127.0.0.1:1",
		"http://127.0.0.1:11434":                             "http://127.0.0.1:11434",
		"postgres://me:secret@db/m":                          "postgres://me:***@db/m",
		"":                                                   "",
	} {
		if got := ShownAddress(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
