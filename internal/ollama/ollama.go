// Package ollama is the one adapter for Ollama: texts in, vectors out, and prompts answered by a chat model, through
// Ollama's official client. The package adds the parts that Ollama leaves to its callers: the prefixes that some models want for documents and queries,
// texts longer than the model's context, bounded batches, and answers checked before they reach an index.
//
// Most callers want [New] and [Embedder.Embed]; summaries want [NewChat]. Errors are [memory.Error]s of part
// "Ollama": unavailable when a later try may succeed, refused when somebody must mend
// something first, such as a model that is missing.
package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"
)

// DefaultTimeout bounds one call of Ollama; the first one also loads the model.
const DefaultTimeout = 60 * time.Second

// maxBatch is how many texts one call carries, as long as they have no more
// estimated tokens than maxBatchTokens: two cores embed 200 to 400 a second with
// a model of the size of nomic-embed-text, and several calls wait for each other.
const (
	maxBatch       = 64
	maxBatchTokens = 2048
)

// Kind says what a text is embedded for.
type Kind string

// The kinds.
const (
	Document Kind = "document" // what is stored
	Query    Kind = "query"    // what is asked
)

// Options say which Ollama and which model. URL and Model are required.
type Options struct {
	// URL is Ollama's base URL, http or https.
	URL string
	// Model is the model's name as Ollama knows it, such as "nomic-embed-text".
	Model string
	// HTTPClient makes the calls. Nil means a client of its own.
	HTTPClient *http.Client
	// Timeout bounds one call, not a pull. Zero means DefaultTimeout (60 s), for a chat
	// DefaultChatTimeout.
	Timeout time.Duration
}

// Embedder embeds texts with one model of one Ollama. It is safe for concurrent use.
type Embedder struct {
	target
	profile profile
	limit   contextLimit
}

// New checks the options; it does not connect.
func New(opts Options) (*Embedder, error) {
	t, err := newTarget(opts, DefaultTimeout)
	if err != nil {
		return nil, err
	}
	return &Embedder{target: t, profile: profileOf(opts.Model)}, nil
}

// Model returns the model's name as given.
func (e *Embedder) Model() string { return e.model }

// Dimension returns the length of the model's vectors, found by embedding a word. It
// asks each time: the model behind a name may have been exchanged.
func (e *Embedder) Dimension(ctx context.Context) (int, error) {
	vectors, err := e.Embed(ctx, Query, []string{"dimension"})
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), nil
}

// Version returns Ollama's version; it is also the cheapest way to ask whether it answers.
func (e *Embedder) Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	version, err := e.client.Version(ctx)
	if err != nil {
		return "", e.classify("ask Ollama's version", err)
	}
	return version, nil
}

// HasModel reports whether Ollama has the model, so that nothing must be pulled.
func (e *Embedder) HasModel(ctx context.Context) (bool, error) {
	_, err := e.show(ctx)
	if err == nil {
		return true, nil
	}
	if ModelMissing(err) {
		return false, nil
	}
	return false, err
}

func (e *Embedder) show(ctx context.Context) (*api.ShowResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	resp, err := e.client.Show(ctx, &api.ShowRequest{Model: e.model})
	if err != nil {
		return nil, e.classify("ask for model "+e.model, err)
	}
	return resp, nil
}

// Pull has Ollama fetch the model, which may take minutes; ctx alone bounds it. progress
// is called with the bytes of the layer under way; nil is allowed.
func (e *Embedder) Pull(ctx context.Context, progress func(done, total int64, status string)) error {
	var last string
	err := e.client.Pull(ctx, &api.PullRequest{Model: e.model}, func(p api.ProgressResponse) error {
		last = p.Status
		if progress != nil {
			progress(p.Completed, p.Total, p.Status)
		}
		return nil
	})
	if err == nil && last != "success" {
		// The client ends silently when the connection does.
		err = fmt.Errorf("it ended at %q: %w", last, errCutOff)
	}
	if err != nil {
		return e.classify("pull model "+e.model, err)
	}
	return nil
}

var errCutOff = errors.New("the connection was cut off")
