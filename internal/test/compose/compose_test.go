package compose

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"golang.org/x/mod/modfile"

	"github.com/mneme-memory/mneme/internal/config"
)

var (
	root   = filepath.Join("..", "..", "..")
	deploy = filepath.Join(root, "deploy")
)

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// isSecret reports whether a variable is one of those that init.sh makes.
func isSecret(name string) bool {
	return strings.HasSuffix(name, "PASSWORD") || strings.HasSuffix(name, "KEY") || strings.HasSuffix(name, "TOKEN")
}

// settings are those of .env.example, with secrets that are easy to find again.
func settings(t *testing.T) map[string]string {
	t.Helper()
	env, err := Environment(filepath.Join(deploy, ".env.example"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range env {
		if isSecret(name) {
			if env[name] != "" {
				t.Errorf("%s has a value in .env.example", name)
			}
			env[name] = "secret" + strings.ToLower(strings.ReplaceAll(name, "_", ""))
		}
	}
	return env
}

func parse(t *testing.T, text []byte, profiles ...string) *types.Project {
	t.Helper()
	p, err := Parse(t.Context(), deploy, text, settings(t), profiles...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, problem := range broken(parse(t, read(t, "deploy", fileName), "ollama")) {
		t.Error(problem)
	}
}

// TestRulesNotice breaks the file in one place at a time.
func TestRulesNotice(t *testing.T) {
	t.Parallel()
	text := string(read(t, "deploy", fileName))
	for _, c := range []struct{ old, replacement, want string }{
		{"127.0.0.1:${POSTGRES_PORT", "0.0.0.0:${POSTGRES_PORT", "claude-postgres: port 5432 is not published on 127.0.0.1"},
		{`["127.0.0.1:${MNEME_MCP_PORT:-7433}:7433"]`, `["7433:7433"]`, "mcp: port 7433 is not published on 127.0.0.1"},
		{"MNEME_MCP_PORT:-7433}:7433", "QDRANT_REST_PORT:-6334}:7433", "has its port 6334 already"},
		{"${QDRANT_REST_PORT:-6334}:6333", "6333:6333", "Qdrant's REST is not at port 6334"},
		{"qdrant/qdrant:v1.17.1", "qdrant/qdrant", "qdrant: the image qdrant/qdrant is not pinned"},
		{"temporalio/ui:2.55.0", "temporalio/ui:latest", "temporal-ui: the image"},
		{"postgres:16-alpine", "postgres:17-alpine", "claude-postgres: is postgres:17-alpine"},
		{"qdrant: {condition: service_healthy}", "qdrant: {condition: service_started}", "worker: does not wait until qdrant is healthy"},
		{"temporal: {condition: service_healthy}\n    environment:\n      TEMPORAL_ADDRESS: temporal:7233\n      NAMESPACE", "temporal: {condition: service_started}\n    environment:\n      TEMPORAL_ADDRESS: temporal:7233\n      NAMESPACE", "temporal-namespace: does not wait until temporal can be used"},
		{"[CMD, mneme-mcp, health]", `[CMD, curl, -f, "http://127.0.0.1:7433/mcp"]`, "mcp: its image has nothing that runs"},
		{"[CMD, wget, -q", "[CMD, curl, -q", "temporal-ui: its image has nothing that runs"},
		{"test: [CMD, ollama, list]", "disable: true", "ollama: has no health check"},
		{"      start_period: 30s\n\n  ollama-model", "\n  ollama-model", "ollama: its health check leaves times to Docker"},
		{"read_only: true", "read_only: false", "worker: its file system can be written to"},
		{"cap_drop: [ALL]", "cap_drop: [NET_RAW]", "mcp: keeps rights"},
		{"no-new-privileges:true", "label:disable", "mcp: keeps rights"},
		{"command: [mneme-worker]", "command: [mneme-worker]\n    user: root", "worker: runs as the user root"},
		{"command: [mneme-worker]", "command: [mneme-worker]\n    privileged: true", "worker: has rights of the machine's root"},
		{"command: [mneme-worker]", "command: [mneme-worker]\n    network_mode: host", "worker: shares a namespace"},
		{"- mneme-home:/var/lib/mneme", "- /var/lib/mneme", "is a volume without a name"},
		{"./claude:/var/lib/mneme/.claude:ro\"]", "./claude:/var/lib/mneme/.claude\"]", "mcp: /var/lib/mneme/.claude can be written to"},
		{`extra_hosts: ["host.docker.internal:host-gateway"]`, "", "worker: cannot reach an Ollama"},
		{"max-size: 10m, ", "", "its log can fill the disk"},
		{"restart: unless-stopped", "restart: always", "is not started again"},
		{"    stop_grace_period: 1m\n    healthcheck:\n      # The image", "    healthcheck:\n      # The image", "qdrant: keeps data"},
	} {
		if !strings.Contains(text, c.old) {
			t.Errorf("%s does not hold %q", fileName, c.old)
			continue
		}
		problems := broken(parse(t, []byte(strings.Replace(text, c.old, c.replacement, 1)), "ollama"))
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, c.want) }) {
			t.Errorf("with %q for %q the rules find %q, want %q", c.replacement, c.old, problems, c.want)
		}
	}
}

// TestSecrets: none stands in the file, none has a default, and each reaches who needs it.
func TestSecrets(t *testing.T) {
	t.Parallel()
	text := read(t, "deploy", fileName)
	for name, value := range settings(t) {
		if !isSecret(name) {
			continue
		}
		env := settings(t)
		delete(env, name)
		if _, err := Parse(t.Context(), deploy, text, env); err == nil || !strings.Contains(err.Error(), "init.sh") {
			t.Errorf("without %s: %v", name, err)
		}
		out, err := parse(t, text).MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), value) {
			t.Errorf("%s reaches no service", name)
		}
	}
	literal := regexp.MustCompile(`(?m)^\s+\w*(PASSWORD|PWD|KEY|TOKEN): +[^$/\s].*$`)
	if found := literal.Find(text); found != nil {
		t.Errorf("a secret stands in the file: %s", found)
	}
}

// TestEnvironment: .env.example lists what the file asks for, no more and no less.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	var have []string
	for name := range settings(t) {
		have = append(have, name)
	}
	slices.Sort(have)
	if want := Variables(read(t, "deploy", fileName)); !slices.Equal(have, want) {
		t.Errorf(".env.example has\n%q, compose.yaml uses\n%q", have, want)
	}
}

// TestSettingsAreMnemes loads what worker and MCP are given as they do themselves.
func TestSettingsAreMnemes(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"MNEME_MCP_TOKEN": true}
	for _, d := range config.Describe() {
		known[d.Env] = true
	}
	p := parse(t, read(t, "deploy", fileName))
	for _, name := range ours {
		env := map[string]string{"HOME": "/var/lib/mneme"}
		for variable, value := range p.Services[name].Environment {
			env[variable] = *value
			if !known[variable] {
				t.Errorf("%s: mneme has no setting %s", name, variable)
			}
		}
		cfg, err := config.Load(config.Sources{Env: func(n string) string { return env[n] }})
		if err != nil || !cfg.Temporal.TLS.On || !cfg.Temporal.KeyFileGiven {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProfile: Ollama is in the stack only with the profile "ollama", and a job loads its model.
func TestProfile(t *testing.T) {
	t.Parallel()
	text := read(t, "deploy", fileName)
	if _, ok := parse(t, text).Services["ollama"]; ok {
		t.Error("Ollama is there without its profile")
	}
	model := parse(t, text, "ollama").Services["ollama-model"]
	if got := strings.Join(model.Entrypoint, " "); got != "ollama pull nomic-embed-text" || !isJob(model) {
		t.Errorf("the model comes by %q", got)
	}
}

// TestVersions: the images are the releases that mneme is tested with.
func TestVersions(t *testing.T) {
	t.Parallel()
	mod, err := modfile.Parse("go.mod", read(t, "go.mod"), nil)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{"go": mod.Go.Version}
	for _, r := range mod.Require {
		versions[r.Mod.Path] = strings.TrimPrefix(r.Mod.Version, "v")
	}
	p := parse(t, read(t, "deploy", fileName), "ollama")
	for service, module := range map[string]string{
		"temporal": "go.temporal.io/server", "temporal-schema": "go.temporal.io/server", "temporal-namespace": "go.temporal.io/server",
		"temporal-ui": "github.com/temporalio/ui-server/v2", "qdrant": "github.com/qdrant/go-client", "ollama": "github.com/ollama/ollama",
	} {
		_, tag, _ := strings.Cut(p.Services[service].Image, ":")
		if strings.TrimPrefix(tag, "v") != versions[module] {
			t.Errorf("%s is %s, and go.mod has %s of %s", service, tag, versions[module], module)
		}
	}
	if !strings.Contains(string(read(t, "deploy", "Dockerfile")), "FROM golang:"+versions["go"]+"-bookworm AS build") {
		t.Errorf("the Dockerfile does not build with Go %s", versions["go"])
	}
}

// TestDockerfile: two stages from pinned images, the last without root.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := string(read(t, "deploy", "Dockerfile"))
	from := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1)
	if len(from) != 2 {
		t.Errorf("it has %d stages", len(from))
	}
	for _, f := range from {
		if !regexp.MustCompile(`:[\w.-]*\d+\.\d+`).MatchString(f[1]) {
			t.Errorf("%s is not pinned to a release", f[1])
		}
	}
	users := regexp.MustCompile(`(?m)^USER (\d+)`).FindAllStringSubmatch(text, -1)
	if len(users) != 1 || users[0][1] == "0" || strings.LastIndex(text, "\nUSER ") < strings.LastIndex(text, "\nRUN ") {
		t.Errorf("its user is %v", users)
	}
	for line := range strings.Lines(text) {
		if program, ok := strings.CutPrefix(strings.TrimRight(strings.TrimSpace(line), `\ `), "./cmd/"); ok {
			for one := range strings.FieldsSeq("./cmd/" + program) {
				if _, err := os.Stat(filepath.Join(root, one)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	ignored := string(read(t, "deploy", "Dockerfile.dockerignore"))
	for _, secret := range []string{"deploy/.env\n", "deploy/secrets\n", ".git\n"} {
		if !strings.Contains(ignored, secret) {
			t.Errorf("the image is built from %s", secret)
		}
	}
}

// TestQdrantsCheck runs the health check of Qdrant's image against servers that are ready, not
// ready, silent, and not there.
func TestQdrantsCheck(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	check := parse(t, read(t, "deploy", fileName)).Services["qdrant"].HealthCheck
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	answers := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" {
				status = http.StatusNotFound
			}
			w.WriteHeader(status)
		}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	for address, want := range map[string]bool{
		answers(http.StatusOK): true, answers(http.StatusServiceUnavailable): false, silent.Addr().String(): false, "127.0.0.1:1": false,
	} {
		args := slices.Clone(check.Test[1:])
		args[2] = strings.ReplaceAll(strings.ReplaceAll(args[2], "$$", "$"), "127.0.0.1/6333", strings.Replace(address, ":", "/", 1))
		out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
		if (err == nil) != want {
			t.Errorf("%s: %v\n%s", address, err, out)
		}
	}
}

// TestInit runs init.sh in a copy, twice.
func TestInit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	dir := t.TempDir()
	for _, name := range []string{"init.sh", ".env.example"} {
		if err := os.WriteFile(filepath.Join(dir, name), read(t, "deploy", name), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	run := func() map[string]string {
		if out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "init.sh")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		made := map[string]string{}
		for name, mode := range map[string]os.FileMode{".env": 0o600, "secrets": 0o700, "secrets/payload.keys": 0o444, "secrets/temporal.pem": 0o444} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != mode {
				t.Errorf("%s has the mode %o", name, info.Mode().Perm())
			}
			if !info.IsDir() {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				made[name] = string(text)
			}
		}
		return made
	}
	first := run()
	for name, text := range run() {
		if text != first[name] {
			t.Errorf("a second run changed %s", name)
		}
	}
	env, err := Environment(filepath.Join(dir, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	if keys := strings.Fields(first["secrets/payload.keys"]); len(keys) != 4 || keys[2] != "marks" || keys[1] == keys[3] {
		t.Errorf("the keys are of %d fields", len(keys))
	}
	seen := map[string]bool{}
	for name, value := range env {
		if isSecret(name) && (len(value) != 48 || seen[value]) {
			t.Errorf("%s is not a secret of its own", name)
		}
		seen[value] = true
	}
	if _, err := Read(context.WithoutCancel(t.Context()), deploy, env); err != nil {
		t.Error(err)
	}
}

// TestScripts has a shell read each script.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob(filepath.Join(deploy, "*", "*.sh"))
	if err != nil || len(scripts) < 2 {
		t.Fatal(scripts, err)
	}
	for _, script := range append(scripts, filepath.Join(deploy, "init.sh")) {
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}

// TestOrder: each service comes after all services that it depends on.
func TestOrder(t *testing.T) {
	t.Parallel()
	p := parse(t, read(t, "deploy", fileName), "ollama")
	order := Order(p)
	if len(order) != len(p.Services) {
		t.Errorf("%d services, in order %q", len(p.Services), order)
	}
	for i, name := range order {
		for _, need := range p.Services[name].GetDependencies() {
			if at := slices.Index(order, need); at < 0 || at > i {
				t.Errorf("%s comes before %s", name, need)
			}
		}
	}
}
