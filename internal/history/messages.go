package history

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// sidechain is the thread of what a subagent said in the session's own file, as older clients
// wrote it.
const sidechain = "subagent"

// reader makes messages of events.
type reader struct {
	of       Transcript
	redactor memory.Redactor
	since    *time.Time
	before   *time.Time
	last     time.Time // what was said last; some lines have no time
}

// messages returns what was said in events, without secrets, in parts. Secrets are taken out of
// whole texts: half of one is not recognised as one.
func (r *reader) messages(events []transcript.Event) []conversation.Message {
	var out []conversation.Message
	for _, e := range events {
		m, ok := r.message(e)
		if !ok || r.since != nil && m.At.Before(*r.since) || r.before != nil && !m.At.Before(*r.before) {
			continue
		}
		out = append(out, m.Parts()...)
	}
	return out
}

func (r *reader) message(e transcript.Event) (conversation.Message, bool) {
	role, text := roleOf(e), e.Text
	if e.Tool != nil {
		text = toolText(e.Tool)
	}
	text = plain(text)
	if role == "" || e.UUID == "" || text == "" {
		return conversation.Message{}, false
	}
	if !e.Time.IsZero() && e.Time.Year() >= 1970 && e.Time.Year() <= 9999 {
		r.last = e.Time
	}
	if r.last.IsZero() {
		r.last = r.of.Modified.UTC()
	}
	m := conversation.Message{
		Project: r.of.Project, Session: r.of.Session, Thread: r.of.Thread, Role: role, Position: e.Offset, At: r.last,
	}
	if e.Session != "" && memory.CheckName("session", e.Session) == nil {
		m.Session = e.Session
	}
	if e.Sidechain && m.Thread == "" {
		m.Thread = sidechain
	}
	m.ID = conversation.NewID(m.Session, role, e.UUID)
	m.Text, _ = r.redactor.Redact(text)
	m.Project, _ = r.redactor.Redact(m.Project)
	return m, strings.TrimSpace(m.Text) != ""
}

func roleOf(e transcript.Event) conversation.Role {
	switch e.Kind {
	case transcript.Prompt:
		return conversation.User
	case transcript.Said:
		return conversation.Assistant
	case transcript.Called:
		return conversation.Tool
	case transcript.Thought:
		return conversation.Thinking
	}
	return ""
}

// toolText is a tool's result behind its name, and behind the command if it has one.
func toolText(call *transcript.ToolCall) string {
	name := call.Name
	for _, field := range []string{"command", "file_path", "pattern", "url", "query"} {
		if value := call.Field(field); value != "" {
			name += ": " + value
			break
		}
	}
	return name + "\n" + call.Result
}

// plain makes a text one that can be kept: valid UTF-8 without NUL.
func plain(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
}
