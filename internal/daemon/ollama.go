package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	embeddedollama "github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/homekey"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/memory"
)

// builtinModel is chosen when the user chose none and no Ollama runs.
const builtinModel = "mneme-static"

// usualOllama is where Ollama listens unless OLLAMA_HOST says otherwise.
const usualOllama = "127.0.0.1:11434"

// errNoOllama says that nothing answers where Ollama is looked for.
var errNoOllama = errors.New("no Ollama runs on this machine")

// ollamaServer is the embedding server in use, with the adapter to its model.
type ollamaServer struct {
	homestate.Service
	embedder *ollama.Embedder
	lacks    error // why the model cannot be used yet; nil if it can
}

// startOllama finds or starts an embedding server. A ledger that was embedded by one model
// stays with it, because another one would not fit its vectors; stats name that model,
// or none when nothing is embedded yet.
func (d *daemon) startOllama(ctx context.Context, stats memory.Stats) (ollamaServer, error) {
	cfg := d.opts.Config.Ollama
	model := assembly.InForce(cfg.EmbedModel, stats)
	changed := stats.Generations != nil && len(stats.Generations.Replaced) > 0
	if cfg.URL != "" && (!changed || model != builtinModel) {
		return d.useOllama(ctx, homestate.Service{Address: cfg.URL, Mode: homestate.Given}, model)
	}
	if model == builtinModel {
		return d.embedOllama(ctx, "")
	}
	found, refused := d.findOllama(ctx)
	switch {
	case found == "" && model == "":
		return d.embedOllama(ctx, "")
	case refused != nil && model == "":
		return d.embedOllama(ctx, fmt.Sprintf("%s; %s", refused, memory.HintOf(refused)))
	case refused != nil:
		// The ledger needs a model that only a real Ollama has: stores wait until one may be used.
		return d.awaitOllama(found, model, refused)
	case found == "":
		return d.awaitOllama("http://"+usualOllama, model, errNoOllama)
	}
	s, err := d.useOllama(ctx, homestate.Service{Address: found, Mode: homestate.Found}, model)
	if err == nil && model == "" && s.lacks != nil {
		// Nobody chose a model and nothing is embedded yet: what works now is better.
		return d.embedOllama(ctx, fmt.Sprintf("the Ollama at %s is not used: %s", found, s.lacks))
	}
	return s, err
}

// awaitOllama prepares the connection to an Ollama that does not do now, and may later.
func (d *daemon) awaitOllama(at, model string, lacks error) (ollamaServer, error) {
	service := homestate.Service{Address: at, Mode: homestate.Found}
	e, err := d.newEmbedder(service, model)
	return ollamaServer{Service: service, embedder: e, lacks: lacks}, err
}

// embedOllama starts the server with the built-in model.
func (d *daemon) embedOllama(ctx context.Context, note string) (ollamaServer, error) {
	security, err := homekey.Server(d.opts.Config.Home)
	if err != nil {
		return ollamaServer{}, err
	}
	s, err := embeddedollama.Start(ctx, embeddedollama.Options{TLS: security, Logger: d.opts.Logger})
	if err != nil {
		return ollamaServer{}, err
	}
	d.stops.push(s.Stop)
	return d.useOllama(ctx, homestate.Service{Address: s.URL(), Mode: homestate.Embedded, Secured: true, Note: note}, builtinModel)
}

// useOllama embeds with a server that runs, whose model is pulled if it has to be.
// Without the model it is no failure: stores are accepted and wait, recalls use keywords.
func (d *daemon) useOllama(ctx context.Context, service homestate.Service, model string) (ollamaServer, error) {
	e, err := d.newEmbedder(service, model)
	if err != nil {
		return ollamaServer{}, err
	}
	return ollamaServer{Service: service, embedder: e, lacks: d.ensureModel(ctx, e)}, nil
}

// openModel prepares the connection to what has a model, which may be another server than the one in
// use: the built-in model is only in the embedded server, all others are in a real Ollama.
func (d *daemon) openModel(ctx context.Context, model string) (*ollama.Embedder, error) {
	inUse := d.services.ollama
	embedded := inUse.Mode == homestate.Embedded
	switch url := d.opts.Config.Ollama.URL; {
	case embedded == (model == builtinModel):
		return d.newEmbedder(inUse.Service, model)
	case model == builtinModel:
		// The server runs on after the step that asked for the server has ended.
		s, err := d.embedOllama(context.WithoutCancel(ctx), "")
		return s.embedder, err
	case url != "":
		return d.newEmbedder(homestate.Service{Address: url, Mode: homestate.Given}, model)
	}
	found, refused := d.findOllama(ctx)
	if found == "" {
		return nil, memory.Down("Ollama", "start it: only a real Ollama has other models than the built-in one", errNoOllama)
	}
	if refused != nil {
		return nil, refused
	}
	return d.newEmbedder(homestate.Service{Address: found, Mode: homestate.Found}, model)
}

func (d *daemon) newEmbedder(service homestate.Service, model string) (*ollama.Embedder, error) {
	if model == "" {
		model = assembly.DefaultModel
	}
	return assembly.OpenEmbedder(d.opts.Config.Home, service, service.Address, model, d.opts.Config.Ollama.Timeout)
}

// ensureModel pulls the model if Ollama does not have it yet.
func (d *daemon) ensureModel(ctx context.Context, e *ollama.Embedder) error {
	has, err := e.HasModel(ctx)
	if err != nil || has {
		return err
	}
	err = e.Pull(ctx, func(done, total int64, status string) {
		if d.opts.Progress != nil {
			d.opts.Progress(done, total, "pull "+e.Model()+": "+status)
		}
	})
	if err != nil {
		return fmt.Errorf("it lacks the model: \"ollama pull %s\", or set MNEME_EMBED_MODEL to one that it has (%w)", e.Model(), err)
	}
	return nil
}

// chatServer is where the chat model is asked: always a real Ollama, also where
// the embedded server makes the vectors.
func (d *daemon) chatServer(ctx context.Context) homestate.Service {
	cfg := d.opts.Config.Ollama
	if cfg.URL != "" || cfg.ChatModel == "" {
		return homestate.Service{Address: cfg.URL, Mode: homestate.Given}
	}
	found, _ := d.findOllama(ctx) // one that is refused now is refused when it is asked
	if found == "" {
		found = "http://" + usualOllama // it may be started later
	}
	return homestate.Service{Address: found, Mode: homestate.Found}
}

// findOllama returns the URL of a running Ollama, or "", and why it is not to be used.
func (d *daemon) findOllama(ctx context.Context) (base string, refused error) {
	base = "http://" + usualOllama
	if d.opts.Getenv != nil {
		base = ollamaBase(d.opts.Getenv("OLLAMA_HOST"))
	}
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/version", http.NoBody)
	if err != nil {
		return "", nil
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", nil
	}
	if err := assembly.AgreeFound(d.opts.Config.Home, base); err != nil {
		return base, err
	}
	return base, assembly.CheckFound(d.opts.Config.Home, base)
}

// ollamaBase returns the URL for a value of OLLAMA_HOST as Ollama reads it: scheme and port
// may be missing, and an address to listen on everywhere is asked on loopback.
func ollamaBase(value string) string {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	scheme, host, ok := strings.Cut(value, "://")
	if !ok {
		scheme, host = "http", value
	}
	host, _, _ = strings.Cut(host, "/")
	usualHost, usualPort, _ := strings.Cut(usualOllama, ":")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), usualPort
	}
	if port == "" {
		port = usualPort
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = usualHost
	}
	return scheme + "://" + net.JoinHostPort(name, port)
}
