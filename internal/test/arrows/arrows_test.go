package arrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/mneme-memory/mneme/"

// listed is what "go list" says of a package.
type listed struct {
	ImportPath string
	Doc        string
	Imports    []string // direct, without those of tests
	Deps       []string // direct and indirect
	CgoFiles   []string
	Standard   bool
}

// house is all packages by path: ours, and all that they need.
type house map[string]listed

// list asks the go command, once for all tests.
var list = sync.OnceValues(func() (house, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Doc,Imports,Deps,CgoFiles,Standard", "./...") //nolint:noctx // shared by tests
	cmd.Dir = path.Join("..", "..", "..")
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return nil, fmt.Errorf("go list: %s", exit.Stderr)
	}
	if err != nil {
		return nil, err
	}
	all := house{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
})

func load(t *testing.T) house {
	t.Helper()
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ours are the paths of our packages, without the module's name.
func (h house) ours() []string {
	var out []string
	for name := range h {
		if short, ok := strings.CutPrefix(name, module); ok {
			out = append(out, short)
		}
	}
	slices.Sort(out)
	return out
}

// below reports whether a package is one of names or lies in a folder of one.
func below(name string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return name == n || strings.HasPrefix(name, n+"/") })
}

// The parts outside that only some rooms may know.
const (
	pgx            = "github.com/jackc/pgx/v5"
	qdrantClient   = "github.com/qdrant/go-client"
	ollamaClient   = "github.com/ollama/ollama"
	duckdb         = "github.com/duckdb"
	temporalServer = "go.temporal.io/server"
	temporalUI     = "github.com/temporalio/ui-server"
	temporalClient = "go.temporal.io/sdk"
	mcp            = "github.com/mark3labs/mcp-go"
)

// arrow says that packages below from must not reach, over any number of
// imports, what is below to. Names of ours are without the module's.
type arrow struct {
	from, to []string
	except   []string // in to, and allowed all the same
	why      string
}

func arrows() []arrow {
	adapters := []string{"internal/postgres", "internal/qdrant", "internal/ollama"}
	doors := []string{"internal/mcpserver", "internal/hook", "internal/cli"}
	return []arrow{
		{[]string{"activities", "workflows", "worker"}, []string{"internal", "embedded", "analytics", "cmd", "migrations"}, nil, "steps name no adapter and no door, only interfaces"},
		{[]string{"activities", "workflows", "worker"}, []string{pgx, qdrantClient, ollamaClient, duckdb, temporalServer, mcp}, nil, "a door that starts a workflow links no store"},
		{[]string{"activities"}, []string{"workflows", "worker"}, nil, "a step does not know who calls it"},
		{[]string{"workflows"}, []string{"worker"}, nil, "a workflow does not know where it runs"},
		{[]string{"embedded"}, []string{"memory", "activities", "workflows", "worker", "internal", "analytics", "cmd", "migrations"}, nil, "embedded servers know nothing of us: they could be deleted"},
		{[]string{"migrations"}, []string{"memory", "activities", "workflows", "worker", "internal", "analytics", "cmd", "embedded"}, nil, "migrations are SQL and a few lines that embed it"},
		{[]string{"analytics"}, []string{"activities", "workflows", "worker", "internal", "cmd", "embedded", "migrations"}, nil, "analytics reads exports, not stores"},
		{[]string{"internal/postgres"}, []string{"internal", "embedded", "workflows", qdrantClient, ollamaClient}, []string{"internal/postgres"}, "adapters never see each other"},
		{[]string{"internal/qdrant"}, []string{"internal", "embedded", "workflows", "migrations", pgx, ollamaClient}, []string{"internal/qdrant"}, "adapters never see each other"},
		{[]string{"internal/ollama"}, []string{"internal", "embedded", "workflows", "migrations", pgx, qdrantClient}, []string{"internal/ollama"}, "adapters never see each other"},
		{doors, append([]string{"embedded", "internal/daemon", "internal/assembly", "worker", temporalServer, pgx, qdrantClient, ollamaClient}, adapters...), nil, "doors start work, they do none"},
		{[]string{"internal/mcpserver"}, []string{"internal/cli", "internal/hook", temporalClient}, nil, "doors do not lead into each other"},
		{[]string{"internal/hook"}, []string{"internal/cli", "internal/mcpserver", duckdb, "analytics"}, nil, "doors do not lead into each other; a hook is small"},
		{[]string{"internal/cli"}, []string{"internal/mcpserver", "internal/hook"}, nil, "doors do not lead into each other"},
		{[]string{"cmd/mneme-mcp", "cmd/mneme-hook"}, append([]string{
			"embedded", "worker", "analytics", "internal/daemon", "internal/assembly", "internal/cli",
			temporalServer, temporalUI, pgx, qdrantClient, ollamaClient, duckdb,
		}, adapters...), nil, "Claude Code starts them often: no server, no store, no DuckDB"},
		{[]string{"cmd/mneme-worker"}, []string{"embedded", "internal/cli", "internal/daemon", temporalServer, temporalUI}, nil, "it works at four given addresses"},
		{[]string{"cmd", "analytics", "embedded", "worker", "internal/cli", "internal/daemon", "internal/hook", "internal/mcpserver"}, []string{"internal/test", "internal/testkit"}, nil, "what only tests need is no part of the product"},
		{[]string{"conversation"}, []string{"activities", "workflows", "worker", "internal", "embedded", "analytics", "cmd", "migrations"}, nil, "it is words and rules, like memory, which it stands beside"},
		{append([]string{"internal/spool", "internal/hook", "internal/history"}, adapters...), []string{"activities", "workflows", "worker", temporalClient}, nil, "the words that they pass on are in memory; Temporal is none of theirs"},
		{[]string{"internal/live"}, []string{"internal", "activities", "workflows", "worker", "embedded", "cmd", pgx}, []string{"internal/live"}, "it tells what a source holds, whichever that is"},
		{[]string{"internal/bearer"}, []string{"memory", "internal", "activities", "workflows", "worker", "embedded", "cmd"}, []string{"internal/bearer"}, "it checks requests and needs nothing"},
		{[]string{"internal/console", "internal/rest"}, append([]string{"activities", "workflows", "worker", "embedded", "cmd", "internal/daemon", "internal/assembly", pgx, temporalClient}, adapters...), nil, "pages and API ask interfaces, and are tried without a server"},
		{[]string{"internal/backup"}, append([]string{"internal", "activities", "workflows", "worker", "embedded", "cmd", pgx, temporalClient}, adapters...), []string{"internal/backup"}, "a backup file is lines; it knows neither the database nor who asks for it"},
		{[]string{"internal/redact", "internal/keyword", "internal/project", "internal/extract", "internal/transcript", "internal/toolname"}, []string{"activities", "workflows", "worker", "embedded", "cmd"}, nil, "they turn text into text and need nothing"},
	}
}

func TestArrows(t *testing.T) {
	t.Parallel()
	all := load(t)
	for _, a := range arrows() {
		found := false
		for _, from := range all.ours() {
			if !below(from, a.from...) {
				continue
			}
			found = true
			for _, dep := range all[module+from].Deps {
				to := strings.TrimPrefix(dep, module)
				// The standard library has folders of the same names as ours.
				if !all[dep].Standard && below(to, a.to...) && !below(to, a.except...) {
					t.Errorf("%s reaches %s by way of %s: %s", from, to, all.way(module+from, dep), a.why)
				}
			}
		}
		if !found {
			t.Errorf("there is no package %v: the table is out of date", a.from)
		}
	}
}

// way is a chain of imports from one package to another.
func (h house) way(from, to string) string {
	type step struct {
		name string
		path []string
	}
	seen := map[string]bool{from: true}
	for queue := []step{{from, nil}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.name == to {
			return strings.Join(at.path, " → ")
		}
		for _, next := range h[at.name].Imports {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, step{next, append(slices.Clone(at.path), strings.TrimPrefix(next, module))})
			}
		}
	}
	return "no import"
}

// memory is the words of the project: a reader of memory needs no other
// package.
func TestMemoryKnowsOnlyTheStandardLibrary(t *testing.T) {
	t.Parallel()
	all := load(t)
	for _, dep := range all[module+"memory"].Deps {
		if !all[dep].Standard {
			t.Errorf("memory reaches %s", dep)
		}
	}
}

// A binary that needs no C compiler is built anywhere, and starts at once.
func TestSmallBinariesUseNoCgo(t *testing.T) {
	t.Parallel()
	all := load(t)
	for _, binary := range []string{"cmd/mneme-mcp", "cmd/mneme-hook"} {
		for _, dep := range all[module+binary].Deps {
			if p := all[dep]; !p.Standard && len(p.CgoFiles) > 0 {
				t.Errorf("%s reaches %s, which uses cgo", binary, dep)
			}
		}
	}
}

// What helps tests must not be shipped, and nobody imports a command.
func TestTestHelpersStayInTests(t *testing.T) {
	t.Parallel()
	all := load(t)
	for _, from := range all.ours() {
		for _, dep := range all[module+from].Imports {
			to := strings.TrimPrefix(dep, module)
			if below(to, "internal/testkit", "internal/redact/redacttest", "internal/test/claudetest") && !below(from, path.Dir(to)) {
				t.Errorf("%s imports %s outside of its tests", from, to)
			}
			if below(to, "cmd") {
				t.Errorf("%s imports the command %s", from, to)
			}
		}
	}
}

// Every package opens with its story, so that "go doc" is the manual.
func TestEveryPackageIsDocumented(t *testing.T) {
	t.Parallel()
	all := load(t)
	if len(all.ours()) < 30 {
		t.Fatalf("only %d packages: the list is not whole", len(all.ours()))
	}
	for _, name := range all.ours() {
		switch doc := all[module+name].Doc; {
		case doc == "":
			t.Errorf("%s has no package comment", name)
		case !strings.HasPrefix(doc, "Package "+path.Base(name)+" ") && !strings.HasPrefix(doc, "Command "+path.Base(name)+" "):
			t.Errorf("%s: the comment begins with %.40q", name, doc)
		}
	}
}
