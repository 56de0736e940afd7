package assembly

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/dial"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/internal/postgres"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// Inspectors ask the servers how they are: by the name of the service, and "worker" for the
// workers. Servers whose address nobody knows are missing.
type Inspectors map[string]func(context.Context) memory.Inspection

// OpenInspectors prepares to ask the servers that the running daemon d uses, or without a
// daemon (zero) those whose address is set. It connects to nothing.
func OpenInspectors(cfg config.Config, d homestate.Daemon) Inspectors {
	out := Inspectors{}
	where := homestate.Where(cfg, d)
	if at := where[homestate.TemporalService]; at.Address != "" {
		server := cfg.Temporal
		server.Address = at.Address
		if at.Secured {
			server.TLS = config.HomeTLS(cfg.Home)
		}
		out[homestate.TemporalService] = func(ctx context.Context) memory.Inspection {
			return temporal.Inspect(ctx, server, workflows.SearchAttributes())
		}
		out["worker"] = func(ctx context.Context) memory.Inspection {
			return temporal.InspectWorkers(ctx, server, "", func(ctx context.Context, c client.Client) (string, error) {
				asked := cfg
				asked.Temporal = server
				ledger, err := dial.Ledger(ctx, asked, c)
				return workflows.TaskQueue(ledger), err
			})
		}
	}
	if at := where[homestate.PostgresService]; at.Address != "" {
		out[homestate.PostgresService] = postgresInspector(cfg.Postgres.URL, at)
	}
	if at := where[homestate.QdrantService]; at.Address != "" {
		out[homestate.QdrantService] = qdrantInspector(cfg, d, at)
	}
	if at := where[homestate.OllamaService]; at.Address != "" {
		out[homestate.OllamaService] = ollamaInspector(cfg, d, at)
	}
	return out
}

// postgresInspector asks with the password of the settings when they name the same server: the
// address that a daemon tells has none.
func postgresInspector(url string, at homestate.Service) func(context.Context) memory.Inspection {
	url = postgresURL(url, at)
	if !config.IsMasked(url) {
		return func(ctx context.Context) memory.Inspection { return postgres.Inspect(ctx, url) }
	}
	return func(context.Context) memory.Inspection {
		var i memory.Inspection
		i.Warn(memory.Refusal("PostgreSQL", "set MNEME_POSTGRES_URL here as it was for \"mneme up\"",
			errors.New("it was not asked: its password is not known here")))
		return i
	}
}

func postgresURL(url string, at homestate.Service) string {
	if at.Mode != homestate.Given || at.Address != config.MaskURL(url) {
		return at.Address
	}
	return url
}

// qdrantInspector asks with the key that the daemon uses, if one runs.
func qdrantInspector(all config.Config, d homestate.Daemon, at homestate.Service) func(context.Context) memory.Inspection {
	cfg := all.Qdrant
	cfg.Address = at.Address
	if d.PID != 0 {
		cfg.APIKey = d.QdrantAPIKey
	}
	if at.Secured {
		cfg.TLS = config.HomeTLS(all.Home)
	}
	return func(ctx context.Context) memory.Inspection {
		index, err := OpenIndex(cfg, nobody{}, false, nil)
		if err != nil {
			return failed(err)
		}
		defer index.Close()
		return index.Inspect(ctx)
	}
}

// nobody stands for the ledger of an index that is only looked at.
type nobody struct{}

func (nobody) Identity(context.Context) (string, error) { return "", errOnlyLooking }

func (nobody) Wrote(context.Context, map[string]string) (bool, error) { return false, errOnlyLooking }

var errOnlyLooking = errors.New("an index that is only looked at has no ledger")

// ollamaInspector asks for the model in use. Where nobody chose one and no daemon runs, only a
// worker elsewhere knows which that is, so the server alone is asked.
func ollamaInspector(cfg config.Config, d homestate.Daemon, at homestate.Service) func(context.Context) memory.Inspection {
	e, chosen, err := openEmbedder(cfg, d, at)
	return func(ctx context.Context) memory.Inspection {
		if err != nil {
			return failed(err)
		}
		if chosen {
			return e.Inspect(ctx)
		}
		version, err := e.Version(ctx)
		if err != nil {
			return failed(err)
		}
		var i memory.Inspection
		i.Learn("Ollama", version, ollama.Oldest)
		return i
	}
}

func openEmbedder(cfg config.Config, d homestate.Daemon, at homestate.Service) (e *ollama.Embedder, chosen bool, err error) {
	model := d.Model
	if model == "" {
		model = cfg.Ollama.EmbedModel
	}
	if chosen = model != ""; !chosen {
		model = DefaultModel
	}
	url := at.Address
	if at.Mode == homestate.Given && config.MaskURL(cfg.Ollama.URL) == at.Address {
		url = cfg.Ollama.URL
	}
	e, err = OpenEmbedder(cfg.Home, at, url, model, cfg.Ollama.Timeout)
	return e, chosen, err
}

func failed(err error) memory.Inspection {
	var i memory.Inspection
	i.Fail(err)
	return i
}

// EmbeddingModel returns what has the embedding model in use make a vector and tells the
// model's name and the vector's length; nil if nobody knows where Ollama is.
func EmbeddingModel(cfg config.Config, d homestate.Daemon) func(context.Context) (model string, dimension int, err error) {
	at := homestate.Where(cfg, d)[homestate.OllamaService]
	if at.Address == "" {
		return nil
	}
	return func(ctx context.Context) (string, int, error) {
		e, _, err := openEmbedder(cfg, d, at)
		if err != nil {
			return "", 0, err
		}
		dimension, err := e.Dimension(ctx)
		return e.Model(), dimension, err
	}
}
