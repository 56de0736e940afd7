package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// answer is what a hook prints. Fields of events that cannot have them are
// left empty: a wrong one makes Claude Code discard the whole answer.
type answer struct {
	SystemMessage string    `json:"systemMessage,omitempty"` // shown to the user
	Specific      *specific `json:"hookSpecificOutput,omitempty"`
	plain         string    // instead of JSON, for PreCompact
}

type specific struct {
	Event    string `json:"hookEventName"` // the one that was asked about
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// bytes returns the answer as it is printed; nothing for an empty one.
func (a answer) bytes() ([]byte, error) {
	if a.plain != "" {
		return []byte(a.plain + "\n"), nil
	}
	if a.SystemMessage == "" && a.Specific == nil {
		return nil, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // "<" is one unit for the model's budget, not six
	if err := enc.Encode(a); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return b.Bytes(), nil
}

// context answers an event with notes for the model.
func contextFor(event, text string) answer {
	if text == "" {
		return answer{}
	}
	return answer{Specific: &specific{Event: event, Context: text}}
}

// deny keeps a tool from running and tells the model why.
func deny(event, reason string) answer {
	return answer{Specific: &specific{Event: event, Decision: "deny", Reason: reason}}
}
