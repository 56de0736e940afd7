package realtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// namespace is mneme's own in the Temporal cluster.
const namespace = "mneme-real"

// cluster is all four services as processes of their own, and a user who is
// given their addresses.
type cluster struct {
	*world
	t        *testing.T
	db       *database
	temporal *temporal
	ollama   *ollama
}

// startCluster starts the services; no worker yet.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, db: startDatabase(t), ollama: startOllama(t)}
	c.temporal = startTemporal(t, c.db)
	c.world = newWorld(t,
		"MNEME_TEMPORAL_ADDRESS="+c.temporal.addr, "MNEME_TEMPORAL_NAMESPACE="+namespace,
		"MNEME_POSTGRES_URL="+c.db.url("mneme", "mneme"),
		"MNEME_QDRANT_ADDRESS="+startQdrant(t), "MNEME_QDRANT_API_KEY="+apiKey,
		"MNEME_OLLAMA_URL="+c.ollama.url(), "MNEME_EMBED_MODEL="+model)
	return c
}

// startQdrant starts the server that stands for Qdrant.
func startQdrant(t *testing.T) string {
	t.Helper()
	addr := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"="+t.TempDir(), addrEnv+"="+addr)
	in, err := cmd.StdinPipe() // ends it if this process dies
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	start(t, cmd).saying(t, "serving ")
	return addr
}

// startWorker starts a worker and waits until it works.
func (c *cluster) startWorker(t *testing.T) *process {
	t.Helper()
	p := start(t, c.command(context.WithoutCancel(t.Context()), "mneme-worker"))
	p.saying(t, "msg=working")
	if strings.Contains(p.said(), "p@ss") || strings.Contains(p.said(), "p%40ss") {
		t.Errorf("the password is in the log:\n%s", p.said())
	}
	return p
}

// TestCluster lets workers and a user work at given addresses only.
func TestCluster(t *testing.T) {
	need(t, "ollama", "temporal-server", "temporal-sql-tool")
	c := startCluster(t)
	c.beforeAnything(t)
	c.temporal.register(t, namespace)
	first := c.startWorker(t)
	c.freshNamespace(t)
	c.startWorker(t)

	for _, part := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"tell", c.tell},
		{"remember", c.remember},
		{"tools", c.tools},
		{"import", c.imports},
		{"organize", c.organizes},
		{"forget", c.forgets},
		{"schedules", c.schedules},
		{"worker killed", func(t *testing.T) { c.workerKilled(t, first) }},
		{"temporal restarted", c.temporalRestarted},
		{"rebuild", c.rebuilds},
		{"daemon", c.daemon},
	} {
		t.Run(part.name, part.run)
	}
}

// beforeAnything asks a cluster that has no namespace, and no worker.
func (c *cluster) beforeAnything(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"doctor"}, {"store", "--project", "p", fact}} {
		if a := c.cli(t, args...); a.code == 0 || !strings.Contains(a.stdout+a.stderr, "namespace "+namespace) {
			t.Errorf("mneme %s does not tell of the namespace: %s", args[0], a)
		}
	}
}

// freshNamespace stores as soon as the first worker says that it works.
func (c *cluster) freshNamespace(t *testing.T) {
	t.Helper()
	c.stored(t, fact, memory.Stored)
}

// tell looks what status and doctor say.
func (c *cluster) tell(t *testing.T) {
	s := c.status(t)
	for _, name := range homestate.ServiceNames() {
		if got := s.Services[name]; got.Mode != homestate.Given || !got.OK || strings.Contains(got.Address, "ss%2F") {
			t.Errorf("status says of %s: %+v", name, got)
		}
	}
	out := c.ok(t, "doctor")
	for _, want := range []string{"2 workers", "namespace " + namespace, dimensions + " dimensions"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q", want)
		}
	}
}

func (c *cluster) remember(t *testing.T) {
	c.stored(t, stranger, memory.Stored)
	c.stored(t, reworded, memory.MergedIn)
	c.finds(t)
}

// tools stores and recalls through the MCP server.
func (c *cluster) tools(t *testing.T) {
	cmd := c.command(t.Context(), "mneme-mcp")
	conn := client.NewClient(transport.NewStdio(cmd.Path, cmd.Env))
	if err := conn.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	if _, err := conn.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"memory_store", map[string]any{"text": "The office door code changes every quarter.", "project": "mcp"}, `"stored"`},
		{"memory_recall", map[string]any{"query": "how often does the door code change", "project": "mcp"}, "every quarter"},
	} {
		req := mcp.CallToolRequest{}
		req.Params.Name, req.Params.Arguments = step.tool, step.args
		r, err := conn.CallTool(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.StructuredContent)
		if err != nil || r.IsError || !strings.Contains(string(text), step.want) {
			t.Errorf("%s answers %s, %v %v", step.tool, text, r.Content, err)
		}
	}
}

const imported = 1000

// imports brings in a thousand memories, and nothing the second time.
func (c *cluster) imports(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	var lines strings.Builder
	for i := range imported {
		fmt.Fprintf(&lines, `{"text":"Ticket %d: customer %s reported that report %d fails on page %d.","project":"imported"}`+"\n", i, names[i%len(names)], i*7, i%97)
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{imported, 0} {
		r := decode[struct{ Stored, Existing int }](t, c.ok(t, "import", "--json", file))
		if want == imported && (r.Stored != imported || r.Existing != 0) {
			t.Errorf("imported %+v, want %d", r, want)
		}
	}
	if n := c.db.ledger(t, "select count(*) from memories where project = 'imported' and state = 'live'"); n != imported {
		t.Errorf("%d memories in the ledger, want %d", n, imported)
	}
	hits := decode[[]hit](t, c.ok(t, "recall", "--json", "--project", "imported", "ticket 412 page 24"))
	if !strings.HasPrefix(hits[0].Text, "Ticket 412:") {
		t.Errorf("found %q first", hits[0].Text)
	}
}

// names make the texts differ a little more than by numbers.
var names = []string{"Abel", "Brand", "Castro", "Dorn", "Eckert", "Faber", "Gross"}
