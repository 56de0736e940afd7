package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/memory"
)

// DefaultChatTimeout bounds one answer of a chat model; the first one also
// loads the model. Whoever waits has something to show instead.
const DefaultChatTimeout = 40 * time.Second

const (
	// maxAnswerTokens is where the model is stopped: a summary is shorter.
	maxAnswerTokens = 700
	// maxAnswerBytes bounds what is taken of an answer, whatever the server counts as a token.
	maxAnswerBytes = 16 << 10
)

// Chat answers prompts with one chat model of one Ollama. It is safe for
// concurrent use.
type Chat struct{ target }

// NewChat checks the options; it does not connect. Timeout zero means
// [DefaultChatTimeout] (40 s).
func NewChat(opts Options) (*Chat, error) {
	t, err := newTarget(opts, DefaultChatTimeout)
	if err != nil {
		return nil, err
	}
	return &Chat{t}, nil
}

// ChatModel returns the model's name as given.
func (c *Chat) ChatModel() string { return c.model }

// Chat returns the model's answer to a prompt: plain text, never empty, at
// most a page. The same prompt gives the same answer as far as Ollama can.
func (c *Chat) Chat(ctx context.Context, prompt string) (string, error) {
	const system = "Answer with the text alone, without a preface, without Markdown, without questions."
	answer, err := c.ask(ctx, system, prompt, nil)
	if err != nil {
		return "", err
	}
	text := answerOf(answer)
	if text == "" {
		return "", c.badChat("model %s gave an empty answer", c.model)
	}
	return text, nil
}

// Structured returns the model's answer as JSON that Ollama holds to a schema.
// One that was cut off is an error: half an answer may mean the opposite.
func (c *Chat) Structured(ctx context.Context, system, prompt string, schema json.RawMessage) (string, error) {
	answer, err := c.ask(ctx, system, prompt, schema)
	if err != nil {
		return "", err
	}
	if answer.DoneReason == "length" || len(answer.Message.Content) > maxAnswerBytes {
		return "", c.badChat("the answer of model %s is too long", c.model)
	}
	return answer.Message.Content, nil
}

// ask sends one question; a schema may be nil.
func (c *Chat) ask(ctx context.Context, system, prompt string, schema json.RawMessage) (api.ChatResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	stream := false
	req := &api.ChatRequest{
		Model: c.model, Stream: &stream, Think: &api.ThinkValue{Value: false}, Format: schema,
		Messages: []api.Message{{Role: "system", Content: system}, {Role: "user", Content: prompt}},
		Options:  map[string]any{"temperature": 0, "seed": 1, "num_predict": maxAnswerTokens},
	}
	var last api.ChatResponse
	err := c.client.Chat(ctx, req, func(r api.ChatResponse) error { last = r; return nil })
	if isBadJSON(err) {
		return last, c.badChat("what answers at %s is no Ollama: %w", c.address, err)
	}
	if err != nil {
		return last, c.classify("chat", err)
	}
	if !last.Done {
		// The client ends silently when the connection does.
		return last, c.classify("chat", fmt.Errorf("the answer of %s has no end: %w", c.model, errCutOff))
	}
	return last, nil
}

func (c *Chat) badChat(format string, args ...any) error {
	return wrap(memory.Internal, "chat", "try another chat model", fmt.Errorf(format, args...))
}

// answerOf is the text of an answer: without the thoughts that older servers
// leave in it, and up to the last whole sentence where it was cut off.
func answerOf(r api.ChatResponse) string {
	text := r.Message.Content
	if _, after, ok := strings.Cut(text, "</think>"); ok {
		text = after
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<think>") {
		return "" // it thought until it was stopped
	}
	cutOff := r.DoneReason == "length"
	if len(text) > maxAnswerBytes {
		text, cutOff = strings.ToValidUTF8(text[:maxAnswerBytes], ""), true
	}
	text = strings.TrimSpace(text)
	if cutOff {
		if end := strings.LastIndexAny(text, ".!?\n"); end > 0 {
			text = text[:end+1]
		}
	}
	return strings.TrimSpace(text)
}
