package ollama

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/memory"
)

// target is one model of one Ollama.
type target struct {
	client  *api.Client
	address string // host:port, for messages
	model   string
	timeout time.Duration
}

// newTarget checks the options; it does not connect. timeout is the one of
// options without.
func newTarget(opts Options, timeout time.Duration) (target, error) {
	base, err := url.Parse(opts.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return target{}, memory.Errorf(memory.Invalid, "give it as http://127.0.0.1:11434", "Ollama's address %q is not a URL", opts.URL)
	}
	if strings.TrimSpace(opts.Model) == "" {
		return target{}, memory.Errorf(memory.Invalid, `name one, such as "nomic-embed-text"`, "no model of Ollama is named")
	}
	if opts.Timeout != 0 {
		timeout = opts.Timeout
	}
	if opts.HTTPClient == nil {
		opts.HTTPClient = &http.Client{}
	}
	return target{client: api.NewClient(base, opts.HTTPClient), address: base.Host, model: opts.Model, timeout: timeout}, nil
}
