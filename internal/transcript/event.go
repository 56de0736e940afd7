package transcript

import (
	"encoding/json"
	"time"
)

// Kind says what an event is.
type Kind string

// The kinds of events.
const (
	Prompt     Kind = "prompt"     // words of the person; Text
	Said       Kind = "said"       // words of the model, without its thinking; Text
	Thought    Kind = "thought"    // the model's thinking; Text; only [ReadMessages] gives it
	Called     Kind = "called"     // a tool call that has its result; Tool
	Recalled   Kind = "recalled"   // what hooks and memory tools put in, or were given to keep; Text
	Compaction Kind = "compaction" // the conversation was summarised here
)

// State says where an event stands in relation to the step that reads it.
type State string

// The states of an event.
const (
	Earlier State = "earlier" // before the checkpoint: seen in an earlier step, given for context
	New     State = "new"     // this step's
	Ahead   State = "ahead"   // of the turn that is still open: it will be New in a later step
)

// Event is one thing that happened in a session.
type Event struct {
	Kind  Kind
	State State

	UUID      string    // of the line; of the result's line for [Called]; of the first line of a joined text
	Message   string    // the API message it belongs to; empty for the person's words
	Offset    int64     // where that line begins, in bytes; only [ReadMessages] gives it
	Time      time.Time // UTC; zero when the line has none
	Session   string
	CWD       string // the session's folder at that time
	Branch    string // git branch, if any
	Sidechain bool   // happened inside a subagent: its prompts are the model's, not the person's

	Text string    // Prompt, Said, Recalled; cut to Options.MaxText
	Tool *ToolCall // Called
}

// ToolCall is one call of a tool and its result.
type ToolCall struct {
	ID       string
	Name     string          // Bash, Edit, mcp__server__tool …
	CallUUID string          // of the line with the call
	Input    json.RawMessage // a valid JSON object; long strings in it are cut to Options.MaxText
	Result   string          // the text the model saw, its middle cut out beyond Options.MaxText
	Failed   bool            // the client marked the result as an error
	Rejected bool            // refused by the person, a rule or a hook: the tool did not run
}

// Field returns a string member of the call's input, "" when there is none.
// A Bash call has "command", Edit and Write have "file_path".
func (c *ToolCall) Field(name string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(c.Input, &members) != nil {
		return ""
	}
	var s string
	if json.Unmarshal(members[name], &s) != nil {
		return ""
	}
	return s
}
