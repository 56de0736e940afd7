package doctor

import (
	"context"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// Options say what there is to examine. All fields but Daemon and Servers are required.
type Options struct {
	Config  config.Config
	Daemon  homestate.Daemon // the running one; zero if none runs
	Servers Servers
	Dial    func(ctx context.Context) (Client, error) // connects to the workflows

	Now     func() time.Time
	Env     func(name string) string
	Dir     string                 // current folder
	Date    func(time.Time) string // writes a date for a person
	LogTail func() string          // last lines of the daemon's log
	MCP     string                 // how a shell calls mneme-mcp
}

// Client is what the checks ask of the workflows.
type Client interface {
	Stats(ctx context.Context) (memory.Stats, error)
	IndexState(ctx context.Context) (memory.IndexState, error)
	Waiting(ctx context.Context) ([]memory.Waiting, error)
	Held(ctx context.Context) ([]memory.HeldPrune, error)
	Recall(ctx context.Context, q memory.Query) (memory.RecallResult, error)
	Close()
}

// Servers ask the servers through their adapters.
type Servers struct {
	// Inspect asks one server, by the name of the service, or the workers ([Worker]). A
	// server whose address is unknown is missing.
	Inspect map[string]func(ctx context.Context) memory.Inspection
	// Dimension has the embedding model make a vector, and returns the model's name and the
	// vector's length. Nil if nobody knows where Ollama is.
	Dimension func(ctx context.Context) (model string, dimension int, err error)
}

// Worker is the name of the workers in [Servers] and in what [Look] returns.
const Worker = "worker"

// The names of checks that others need.
const (
	nameDaemon   = "daemon"
	nameTemporal = "Temporal"
	namePostgres = "PostgreSQL"
	nameQdrant   = "Qdrant"
	nameOllama   = "Ollama"
	nameBuiltIn  = "built-in model" // in place of Ollama, where mneme's own model is used
)

// Checks are the questions of "mneme doctor", in the order in which they are asked.
func (o Options) Checks() []Check {
	e := &examination{Options: o}
	embedder := titleAt(homestate.OllamaService, homestate.Where(o.Config, o.Daemon)[homestate.OllamaService])
	return []Check{
		{Name: "data folder", Run: o.folder},
		{Name: "disk space", Run: o.disk},
		{Name: "clock", Run: o.clock},
		{Name: nameDaemon, Run: o.daemon},
		{Name: "autostart", Run: o.autostart},
		{Name: "hooks", Run: o.hooks},
		{Name: "privacy rules", Run: o.privacy},
		{Name: nameTemporal, Needs: o.unlessGiven(homestate.TemporalService), Run: e.server(homestate.TemporalService)},
		{Name: Worker, Needs: []string{nameTemporal}, Run: e.server(Worker)},
		{Name: namePostgres, Needs: o.unlessGiven(homestate.PostgresService), Run: e.server(homestate.PostgresService)},
		{Name: nameQdrant, Needs: o.unlessGiven(homestate.QdrantService), Run: e.server(homestate.QdrantService)},
		{Name: embedder, Needs: o.unlessGiven(homestate.OllamaService), Run: e.server(homestate.OllamaService)},
		{Name: "model", Needs: []string{embedder}, Run: o.model},
		{Name: "index", Needs: []string{Worker, namePostgres}, Run: o.index},
		{Name: "waiting", Needs: []string{nameTemporal}, Run: o.waiting},
		{Name: "tidying up", Needs: []string{Worker, namePostgres}, Run: o.tidying},
		{Name: "recall", Needs: []string{Worker, namePostgres, nameQdrant}, Run: o.recall},
		{Name: "analysis", Run: analysis},
		{Name: "Claude Code", Run: o.claude},
	}
}

// examination is one run of the checks.
type examination struct {
	Options
	once    sync.Once
	servers map[string]Server // as they were found; written by once
}

// unlessGiven returns what the check of a service needs: the daemon, which starts or finds it,
// unless its address is set.
func (o Options) unlessGiven(service string) []string {
	if homestate.Where(o.Config, homestate.Daemon{})[service].Address != "" {
		return nil
	}
	return []string{nameDaemon}
}

// analysis tells whether there can be one.
func analysis(context.Context) (string, error) {
	if !analytics.Linked {
		return "", Warning{analytics.ErrNotLinked}
	}
	return "DuckDB is linked in", nil
}
