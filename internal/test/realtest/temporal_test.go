package realtest

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"text/template"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"
)

// temporalConfig is the untuned configuration of a small cluster of one host.
const temporalConfig = `log: {stdout: true, level: warn}
persistence:
  defaultStore: main
  visibilityStore: visibility
  numHistoryShards: 4
  datastores:
{{- range $store, $name := .Databases}}
    {{$store}}:
      sql:
        pluginName: postgres12
        databaseName: {{$name}}
        connectAddr: 127.0.0.1:{{$.Postgres}}
        connectProtocol: tcp
        user: temporal
        password: {{printf "%q" $.Password}}
        maxConns: 20
        maxIdleConns: 20
{{- end}}
global:
  membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}
services:
{{- range $service, $ports := .Services}}
  {{$service}}:
    rpc: {grpcPort: {{index $ports 0}}, membershipPort: {{index $ports 1}}, bindOnLocalHost: true}
{{- end}}
clusterMetadata:
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation:
    active: {enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: "127.0.0.1:{{.Frontend}}"}
dcRedirectionPolicy: {policy: noop}
archival: {history: {state: disabled}, visibility: {state: disabled}}
namespaceDefaults: {archival: {history: {state: disabled}, visibility: {state: disabled}}}
`

// temporal is a Temporal server that keeps its data in PostgreSQL.
type temporal struct {
	*process
	addr   string
	config string
}

// startTemporal makes the databases with Temporal's own tool and starts the
// server. There is no namespace yet.
func startTemporal(t *testing.T, d *database) *temporal {
	t.Helper()
	for name, schema := range map[string]string{"temporal": "temporal", "temporal_visibility": "visibility"} {
		for _, args := range [][]string{
			{"create-database"}, {"setup-schema", "-v", "0.0"}, {"update-schema", "--schema-name", "postgresql/v12/" + schema},
		} {
			sqlTool(t, d, name, args...)
		}
	}
	s := &temporal{config: filepath.Join(t.TempDir(), "temporal.yaml")}
	services := map[string][2]int{}
	for _, name := range []string{"frontend", "history", "matching", "worker"} {
		services[name] = [2]int{freePort(t), smallPort(t)}
	}
	s.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(services["frontend"][0]))
	var text bytes.Buffer
	err := template.Must(template.New("").Parse(temporalConfig)).Execute(&text, map[string]any{
		"Databases": map[string]string{"main": "temporal", "visibility": "temporal_visibility"},
		"Postgres":  d.port, "Password": password, "Services": services, "Frontend": services["frontend"][0],
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.config, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.start(t)
	return s
}

func sqlTool(t *testing.T, d *database, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(built("temporal-sql-tool"), append([]string{
		"--plugin", "postgres12", "--ep", "127.0.0.1", "-p", strconv.Itoa(d.port), "-u", "temporal", "--pw", password, "--db", name,
	}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("temporal-sql-tool %q: %v\n%s", args, err, out)
	}
}

// start starts the server and waits until it answers.
func (s *temporal) start(t *testing.T) {
	t.Helper()
	cmd := exec.Command(built("temporal-server"), "--config-file", s.config, "--allow-no-auth", "start")
	cmd.Dir, cmd.Env = filepath.Dir(s.config), []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Dir(s.config), "TEMPORAL_VERSION_CHECK_DISABLED=1"}
	s.process = start(t, cmd)
	s.until(t, func() string {
		c, err := client.NewNamespaceClient(client.Options{HostPort: s.addr, Logger: silent()})
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		if _, err := c.Describe(t.Context(), "temporal-system"); err != nil {
			return err.Error()
		}
		return ""
	})
}

// register makes a namespace, as an administrator does, and comes back at once.
func (s *temporal) register(t *testing.T, name string) {
	t.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: s.addr, Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(72 * time.Hour),
	})
	if err != nil {
		t.Fatalf("register namespace %s: %v", name, err)
	}
}

func silent() sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
}

// smallPort is a free port that Temporal can note in PostgreSQL, where a port
// of its members is a signed number of two bytes.
func smallPort(t testing.TB) int {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000)))
		if err != nil {
			continue
		}
		defer l.Close()
		return l.Addr().(*net.TCPAddr).Port
	}
	t.Fatal("there is no free port between 20000 and 32000")
	return 0
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
