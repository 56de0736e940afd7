package realtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	embeddedpostgres "github.com/mneme-memory/mneme/embedded/postgres"
	"github.com/mneme-memory/mneme/internal/config"
)

// startPostgres starts claude-postgres. At the first start it does what the image does: it makes the
// cluster with the administrator's password, and runs the scripts of the folder postgres.
func (s *stack) startPostgres(t *testing.T) {
	t.Helper()
	const name = "claude-postgres"
	if s.db != nil {
		s.postgres(t)
		return
	}
	found, err := embeddedpostgres.Find(t.Context())
	if err != nil {
		t.Skipf("%v: %s", err, embeddedpostgres.InstallHint)
	}
	s.db = &database{port: s.port(name, 5432), bin: found.Dir, dir: t.TempDir(), run: serverUser(t)}
	s.db.open(t)
	secret := filepath.Join(s.db.dir, "password")
	if err := os.WriteFile(secret, []byte(s.env["POSTGRES_PASSWORD"]), 0o644); err != nil { //nolint:gosec // the server's user reads it, in a folder of the test
		t.Fatal(err)
	}
	initdb := s.db.command("initdb", "-D", s.db.data(), "-U", "postgres", "--auth=scram-sha-256", "--pwfile="+secret, "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.postgres(t)
	s.healthy(t, name)
	psql := exec.CommandContext(t.Context(), s.db.tool(t, "psql"), "-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-q",
		"-h", "127.0.0.1", "-p", strconv.Itoa(s.db.port), "-U", "postgres", "-f", filepath.Join(s.deploy, "postgres", "10-roles.sql"))
	psql.Env = append(s.environment(name), "PGPASSWORD="+s.env["POSTGRES_PASSWORD"])
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("10-roles.sql: %v\n%s", err, out)
	}
}

func (s *stack) postgres(t *testing.T) {
	t.Helper()
	s.running["claude-postgres"] = start(t, s.db.command("postgres", "-D", s.db.data(), "-p", strconv.Itoa(s.db.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"))
}

// tool is one of PostgreSQL's programs. Some are not beside the server.
func (d *database) tool(t *testing.T, name string) string {
	t.Helper()
	places, err := filepath.Glob(filepath.Join("/usr/lib/postgresql/*/bin", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append([]string{filepath.Join(d.bin, name)}, places...) {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s on this machine", name)
	}
	return path
}

// startQdrant starts what stands for Qdrant here: the embedded server, in a process of its own,
// with the key of the file. It speaks gRPC only.
func (s *stack) startQdrant(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"="+s.qdrant, addrEnv+"="+fmt.Sprintf("127.0.0.1:%d", s.port("qdrant", 6334)), keyEnv+"="+s.env["QDRANT_API_KEY"])
	in, err := cmd.StdinPipe() // ends it if this process dies
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	s.running["qdrant"] = start(t, cmd)
}

// startModel starts the built-in embedding model in a process of its own, in the place of an
// Ollama on the host, and returns its port.
func startModel(t *testing.T) int {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"=model", addrEnv+"="+fmt.Sprintf("127.0.0.1:%d", port))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	start(t, cmd).saying(t, "serving ")
	return port
}

// namespace makes the namespace: by its script where there is Temporal's command line, else by the
// same calls.
func (s *stack) namespace(t *testing.T) {
	t.Helper()
	const name = "temporal-namespace"
	pem := filepath.Join(s.deploy, "secrets", "temporal.pem")
	if _, err := exec.LookPath("temporal"); err == nil {
		s.script(t, name, "namespace.sh")
		return
	}
	t.Log("there is no program temporal: the namespace is made without namespace.sh")
	security, err := config.TLS{On: true, CA: pem, Cert: pem, Key: pem}.Config()
	if err != nil {
		t.Fatal(err)
	}
	options := client.Options{
		HostPort: fmt.Sprintf("127.0.0.1:%d", s.port("temporal", 7233)), Logger: silent(), ConnectionOptions: client.ConnectionOptions{TLS: security},
	}
	namespace := s.env["MNEME_TEMPORAL_NAMESPACE"]
	eventually(t, func() string {
		c, err := client.NewNamespaceClient(options)
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		if _, err := c.Describe(t.Context(), namespace); err == nil {
			return ""
		}
		err = c.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
			Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(72 * time.Hour),
		})
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

// healthy waits until the health check of the file succeeds, for the time that the file gives it.
func (s *stack) healthy(t *testing.T, name string) {
	t.Helper()
	check := s.project.Services[name].HealthCheck
	if check == nil {
		return // it has ended
	}
	p := s.running[name]
	var last string
	end := time.Now().Add(time.Duration(*check.StartPeriod) + time.Duration(*check.Retries)*time.Duration(*check.Interval))
	for time.Now().Before(end) {
		if last = s.probe(t, name, check); last == "" {
			return
		}
		select {
		case <-p.ended:
			t.Fatalf("%s ended: %v\n%s", name, p.err, p.tail())
		case <-t.Context().Done():
			t.FailNow()
		case <-time.After(200 * time.Millisecond):
		}
	}
	t.Fatalf("%s is not healthy: %s\n%s", name, last, p.tail())
}

// probe makes a health check once: with the command of the file, ports and programs put in, but
// for nc, which this machine may lack, and the REST port of Qdrant, which the embedded server does
// not have. There a connection to the port is the check.
func (s *stack) probe(t *testing.T, name string, check *types.HealthCheckConfig) string {
	t.Helper()
	ports := map[string][]int{"temporal": {7233, 7234, 7235, 7239}, "qdrant": {6334}}[name]
	for _, port := range ports {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.port(name, port)), time.Second)
		if err != nil {
			return err.Error()
		}
		_ = conn.Close()
	}
	if ports != nil {
		return ""
	}
	args := append([]string(nil), check.Test[1:]...)
	switch name {
	case "claude-postgres":
		args = append([]string{s.db.tool(t, args[0])}, append(args[1:], "-p", strconv.Itoa(s.db.port))...)
	case "temporal-ui":
		args[len(args)-1] = strings.Replace(args[len(args)-1], "8080", strconv.Itoa(s.port(name, 8080)), 1)
	case "worker":
		args[0] = filepath.Join(binaries, args[0])
	case "mcp":
		args[0] = filepath.Join(binaries, args[0])
		args = append(args, "--http", fmt.Sprintf("127.0.0.1:%d", s.port(name, 7433)))
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	home := filepath.Join(s.deploy, "home-"+name)
	cmd.Env, cmd.WaitDelay = s.environment(name, "HOME="+home, "MNEME_HOME="+home), time.Second
	stop := time.AfterFunc(time.Duration(*check.Timeout), func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Sprintf("%v\n%s", err, out)
	}
	return ""
}

// stop ends a process as Docker does, and fails if it needs longer than the file gives it.
func (p *process) stop(t *testing.T, grace types.Duration) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(time.Duration(grace)):
		t.Errorf("%s does not stop within %s\n%s", p.cmd.Path, time.Duration(grace), p.tail())
		p.kill()
	}
}
