package ollama

import (
	"context"
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
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	stream := false
	req := &api.ChatRequest{
		Model: c.model, Stream: &stream, Think: &api.ThinkValue{Value: false},
		Messages: []api.Message{
			{Role: "system", Content: "Answer with the text alone, without a preface, without Markdown, without questions."},
			{Role: "user", Content: prompt},
		},
		Options: map[string]any{"temperature": 0, "seed": 1, "num_predict": maxAnswerTokens},
	}
	var last api.ChatResponse
	err := c.client.Chat(ctx, req, func(r api.ChatResponse) error { last = r; return nil })
	if isBadJSON(err) {
		return "", c.badChat("what answers at %s is no Ollama: %w", c.address, err)
	}
	if err != nil {
		return "", c.classify("chat", err)
	}
	if !last.Done {
		// The client ends silently when the connection does.
		return "", c.classify("chat", fmt.Errorf("the answer of %s has no end: %w", c.model, errCutOff))
	}
	text := answerOf(last)
	if text == "" {
		return "", c.badChat("model %s gave an empty answer", c.model)
	}
	return text, nil
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
