package realtest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/test/compose"
)

// The text that the test stores, and the question for it.
const (
	stackFact     = "The orchard gate opens at six in the morning from May to September."
	stackQuestion = "when does the orchard gate open"
)

// TestStack plays deploy/compose.yaml without containers: each service is a process (or, for those
// that end, a run of its script) with the environment of the file, started in the order of the file when
// what it waits for is healthy. Where an image has a program that this machine lacks, the check
// is made by other means: see probe.
func TestStack(t *testing.T) {
	if os.Getenv(enabled) == "" {
		t.Skipf("set %s=1 to play against real programs, or say \"make test-real\", which builds them too", enabled)
	}
	for _, name := range []string{"temporal-server", "temporal-sql-tool", "temporal-ui"} {
		if _, err := os.Stat(built(name)); err != nil {
			t.Skipf("there is no %s: \"make test-real\" builds it", built(name))
		}
	}
	s := newStack(t)
	s.up(t)
	s.strangers(t)
	s.toolsWork(t)
	s.hostWorks(t)
	s.looksOnly(t)
	s.restarts(t)
}

// stack is the services of deploy/compose.yaml as processes.
type stack struct {
	deploy  string // a copy of the folder, with secrets
	project *types.Project
	env     map[string]string // .env
	ports   map[string]int    // of this machine, by service:port of the container
	db      *database
	qdrant  string // the folder of the index
	running map[string]*process
}

func newStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{deploy: filepath.Join(t.TempDir(), "deploy"), ports: map[string]int{}, qdrant: t.TempDir(), running: map[string]*process{}}
	if err := os.CopyFS(s.deploy, os.DirFS(filepath.Join(root(), "deploy"))); err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{".env", "secrets"} { // of who works in this check-out
		if err := os.RemoveAll(filepath.Join(s.deploy, old)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "sh", filepath.Join(s.deploy, "init.sh")).CombinedOutput(); err != nil {
		t.Fatalf("init.sh: %v\n%s", err, out)
	}
	env, err := compose.Environment(filepath.Join(s.deploy, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	s.env = env
	env["MNEME_OLLAMA_URL"] = fmt.Sprintf("http://127.0.0.1:%d", startModel(t))
	env["MNEME_EMBED_MODEL"] = "mneme-static"
	s.project, err = compose.Read(t.Context(), s.deploy, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{
		"claude-postgres:5432", "qdrant:6334", "temporal-ui:8080", "mcp:7433",
		"temporal:7233", "temporal:7234", "temporal:7235", "temporal:7239", "temporal:7243",
	} {
		s.ports[one] = freePort(t)
	}
	return s
}

// up starts each service when all that it waits for is healthy, and waits for the health of all.
func (s *stack) up(t *testing.T) {
	t.Helper()
	began, order := time.Now(), compose.Order(s.project)
	for _, name := range order {
		for _, need := range s.project.Services[name].GetDependencies() {
			s.healthy(t, need)
		}
		s.start(t, name)
		t.Logf("%s is started after %s", name, time.Since(began).Round(time.Millisecond))
	}
	for _, name := range order {
		s.healthy(t, name)
	}
	t.Logf("all are healthy after %s", time.Since(began).Round(time.Millisecond))
}

// port is where a service of the stack listens here.
func (s *stack) port(service string, container int) int {
	return s.ports[service+":"+strconv.Itoa(container)]
}

// environment is what the file gives a service, with the hosts, ports and files of this machine
// in place of the containers'.
func (s *stack) environment(name string, more ...string) []string {
	out := []string{"PATH=" + filepath.Dir(built("x")) + ":" + os.Getenv("PATH"), "LC_ALL=C", "TMPDIR=" + os.TempDir(), "HOME=" + s.deploy}
	for variable, value := range s.project.Services[name].Environment {
		out = append(out, variable+"="+s.here(*value))
	}
	return append(out, more...)
}

// here translates a value.
func (s *stack) here(value string) string {
	for at, port := range s.ports {
		value = strings.ReplaceAll(value, at, "127.0.0.1:"+strconv.Itoa(port))
	}
	for from, to := range map[string]string{
		"/run/secrets/temporal":     filepath.Join(s.deploy, "secrets", "temporal.pem"),
		"/run/secrets/payload_keys": filepath.Join(s.deploy, "secrets", "payload.keys"),
		"/etc/mneme/":               filepath.Join(s.deploy, "temporal") + "/",
	} {
		value = strings.ReplaceAll(value, from, to)
	}
	return value
}

// process starts a service that stays.
func (s *stack) process(t *testing.T, name, path string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir = env, s.deploy
	s.running[name] = start(t, cmd)
}

// start starts a service, or runs it to its end. It waits for nothing else: that was done.
func (s *stack) start(t *testing.T, name string) {
	t.Helper()
	switch name {
	case "claude-postgres":
		s.startPostgres(t)
	case "qdrant":
		s.startQdrant(t)
	case "temporal-schema":
		for range 2 { // it is run again with every "up"
			s.script(t, name, "schema.sh", fmt.Sprintf("SQL_PORT=%d", s.port("claude-postgres", 5432)), "SQL_HOST=127.0.0.1")
		}
	case "temporal":
		env := s.environment(name, "POSTGRES_SEEDS=127.0.0.1", fmt.Sprintf("DB_PORT=%d", s.port("claude-postgres", 5432)), "BIND_ON_IP=127.0.0.1")
		for variable, port := range map[string]int{"FRONTEND": 7233, "HISTORY": 7234, "MATCHING": 7235, "WORKER": 7239} {
			env = append(env, fmt.Sprintf("%s_GRPC_PORT=%d", variable, s.port("temporal", port)), fmt.Sprintf("%s_MEMBERSHIP_PORT=%d", variable, smallPort(t)))
		}
		env = append(env, fmt.Sprintf("FRONTEND_HTTP_PORT=%d", s.port("temporal", 7243)))
		s.process(t, name, built("temporal-server"), env, "start") // as the image's entrypoint
	case "temporal-namespace":
		s.namespace(t)
	case "temporal-ui":
		s.process(t, name, built("temporal-ui"), s.environment(name, fmt.Sprintf("TEMPORAL_UI_PORT=%d", s.port(name, 8080))),
			"--root", moduleDir(t, "github.com/temporalio/ui-server/v2"), "--env", "docker", "start")
	case "worker", "mcp":
		args := slices.Clone(s.project.Services[name].Command)
		for i := range args {
			args[i] = strings.Replace(args[i], "0.0.0.0:7433", fmt.Sprintf("127.0.0.1:%d", s.port("mcp", 7433)), 1)
		}
		home := filepath.Join(s.deploy, "home-"+name)
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		s.process(t, name, filepath.Join(binaries, args[0]), s.environment(name, "HOME="+home, "MNEME_HOME="+home), args[1:]...)
	default:
		t.Fatalf("nobody knows how to play the service %s", name)
	}
}

func moduleDir(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// script runs the script of a service that ends.
func (s *stack) script(t *testing.T, name, file string, more ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", filepath.Join(s.deploy, "temporal", file))
	cmd.Env, cmd.Dir = s.environment(name, more...), s.deploy
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// strangers have neither certificate nor token.
func (s *stack) strangers(t *testing.T) {
	t.Helper()
	for _, port := range []int{7233, 7234, 7235, 7239, 7243} {
		d := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}} //nolint:gosec // a stranger
		conn, err := d.DialContext(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", s.port("temporal", port)))
		if err == nil { // TLS 1.3 tells a client without certificate with the first read
			_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
			_, err = conn.Read(make([]byte, 1))
			_ = conn.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "certificate required") && !strings.Contains(err.Error(), "bad certificate") {
			t.Errorf("Temporal's port %d lets in a stranger, or says %v", port, err)
		}
	}
	resp, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/mcp", s.port("mcp", 7433)), "application/json", strings.NewReader("{}")) //nolint:noctx // short
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("MCP answers a stranger with %s", resp.Status)
	}
}

// call calls a tool over HTTP, as Claude Code does.
func (s *stack) call(t *testing.T, tool string, args map[string]any) string {
	t.Helper()
	c, err := client.NewStreamableHttpClient(fmt.Sprintf("http://127.0.0.1:%d/mcp", s.port("mcp", 7433)),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + s.env["MNEME_MCP_TOKEN"]}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	answer, err := c.CallTool(t.Context(), req)
	if err != nil || answer.IsError {
		t.Fatalf("%s: %v %+v", tool, err, answer)
	}
	return fmt.Sprint(answer.StructuredContent, answer.Content)
}

// toolsWork stores and recalls through MCP.
func (s *stack) toolsWork(t *testing.T) {
	t.Helper()
	s.call(t, "memory_store", map[string]any{"text": stackFact, "project": "orchard"})
	if found := s.call(t, "memory_recall", map[string]any{"query": stackQuestion, "project": "orchard"}); !strings.Contains(found, "orchard gate") {
		t.Errorf("recalled %s", found)
	}
}

// host is the user outside of the containers, with the settings that deploy/README.md gives.
func (s *stack) host(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(s.deploy, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```\n[temporal]")
	settings, _, ok := strings.Cut("[temporal]"+rest, "```")
	settings = strings.ReplaceAll(settings, "/CHECKOUT/deploy", s.deploy)
	settings = strings.ReplaceAll(settings, "127.0.0.1:7233", fmt.Sprintf("127.0.0.1:%d", s.port("temporal", 7233)))
	if !ok || strings.Contains(settings, "CHECKOUT") {
		t.Fatalf("README.md has no settings for the host: %s", settings)
	}
	if err := os.WriteFile(filepath.Join(w.home, "config.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// hostWorks recalls what was stored through MCP, and examines the stack.
func (s *stack) hostWorks(t *testing.T) {
	t.Helper()
	w := s.host(t)
	if out := w.ok(t, "recall", "--project", "orchard", stackQuestion); !strings.Contains(out, "orchard gate") {
		t.Errorf("recalled %s", out)
	}
	if out := w.ok(t, "doctor"); !strings.Contains(out, "1 worker") || !strings.Contains(out, "namespace "+s.env["MNEME_TEMPORAL_NAMESPACE"]) {
		t.Errorf("doctor says %s", out)
	}
	// Without the keys, nothing can be read.
	if a := w.with("MNEME_TEMPORAL_KEY_FILE="+filepath.Join(s.deploy, "none")).cli(t, "recall", "x"); a.code == 0 || !strings.Contains(a.stderr, "keys") {
		t.Errorf("without keys: %s", a)
	}
}

// looksOnly asks the UI for what changes something.
func (s *stack) looksOnly(t *testing.T) {
	t.Helper()
	base := fmt.Sprintf("http://127.0.0.1:%d/api/v1/", s.port("temporal-ui", 8080))
	for path, want := range map[string]string{
		"settings": `"DisableWriteActions":true`,
		"namespaces/" + s.env["MNEME_TEMPORAL_NAMESPACE"] + "/workflows": `"executions"`,
	} {
		out, err := exec.CommandContext(t.Context(), "wget", "-q", "-O", "-", base+path).Output()
		if err != nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "orchard gate") {
			t.Errorf("the UI answers %s with %.500s, %v", path, out, err)
		}
	}
}

// restarts stops all in the opposite order, as "docker compose stop" does, and starts it again.
func (s *stack) restarts(t *testing.T) {
	t.Helper()
	order := compose.Order(s.project)
	for _, name := range slices.Backward(order) {
		if p := s.running[name]; p != nil {
			grace := s.project.Services[name].StopGracePeriod
			if grace == nil { // Docker's own
				usual := types.Duration(10 * time.Second)
				grace = &usual
			}
			p.stop(t, *grace)
		}
	}
	s.up(t)
	if found := s.call(t, "memory_recall", map[string]any{"query": stackQuestion, "project": "orchard"}); !strings.Contains(found, "orchard gate") {
		t.Errorf("after a restart, recalled %s", found)
	}
}
