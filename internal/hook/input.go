package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// maxStdin bounds an event. Claude Code cuts results at some 100 KB; a longer
// event is read to its end and answered with nothing.
const maxStdin = 16 << 20

// The events that are answered, as Claude Code calls them.
const (
	sessionStart       = "SessionStart"
	subagentStart      = "SubagentStart"
	userPromptSubmit   = "UserPromptSubmit"
	preToolUse         = "PreToolUse"
	postToolUse        = "PostToolUse"
	postToolUseFailure = "PostToolUseFailure"
	preCompact         = "PreCompact"
	stop               = "Stop"
	sessionEnd         = "SessionEnd"
)

// Events lists the events that are answered, as Claude Code calls them.
func Events() []string {
	return []string{
		sessionStart, subagentStart, userPromptSubmit, preToolUse, postToolUse,
		postToolUseFailure, preCompact, stop, sessionEnd,
	}
}

// Argument returns how an event is written on the command line:
// "session-start" for "SessionStart".
func Argument(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// eventOf is the inverse of Argument; unknown arguments are no event.
func eventOf(argument string) string {
	for _, e := range Events() {
		if argument == Argument(e) || argument == e {
			return e
		}
	}
	return ""
}

// input is what Claude Code tells about an event. Fields that are missing, or
// of another type than expected, are empty.
type input struct {
	Event        string // as given: the answer must name it
	Session      string
	Transcript   string
	Source       string // of SessionStart: startup, resume, clear or compact
	Prompt       string
	ToolName     string
	ToolInput    json.RawMessage
	ToolResponse json.RawMessage
	ToolUseID    string
	Error        string
	Interrupted  bool
	LastMessage  string
}

// parse reads one event. The object ends it: there is no waiting for the end
// of the stream.
func parse(r io.Reader) (input, error) {
	var fields map[string]json.RawMessage
	limited := &io.LimitedReader{R: r, N: maxStdin}
	if err := json.NewDecoder(limited).Decode(&fields); err != nil {
		if limited.N <= 0 {
			// Whoever writes must not find the pipe closed.
			if _, err := io.Copy(io.Discard, r); err != nil {
				return input{}, fmt.Errorf("read event: %w", err)
			}
			return input{}, fmt.Errorf("read event: longer than %d bytes", maxStdin)
		}
		return input{}, errors.New("read event: it is no JSON object") // the cause would repeat what it holds
	}
	text := func(name string) string {
		var s string
		if json.Unmarshal(fields[name], &s) != nil {
			return ""
		}
		return s
	}
	var interrupted bool
	if json.Unmarshal(fields["is_interrupt"], &interrupted) != nil {
		interrupted = false
	}
	return input{
		Event: text("hook_event_name"), Session: sessionName(text("session_id")), Transcript: text("transcript_path"),
		Source: plainName(text("source")), Prompt: text("prompt"), ToolName: plainName(text("tool_name")), ToolInput: fields["tool_input"],
		ToolResponse: fields["tool_response"], ToolUseID: plainName(text("tool_use_id")), Error: text("error"), Interrupted: interrupted,
		LastMessage: text("last_assistant_message"),
	}, nil
}

// sessionName makes a name of ours of what a client may send as a session's
// id: one that is not as harmless as Claude Code's is hashed.
func sessionName(id string) string {
	if id == "" || plainName(id) != "" {
		return id
	}
	return memory.ContentHash(id)
}

// plainName returns a name if it is one of letters, digits and few marks, as
// those of tools and sessions are, else "".
func plainName(s string) string {
	const most = 128
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.:", r)
	}
	if len(s) > most || strings.ContainsFunc(s, odd) {
		return ""
	}
	return s
}
