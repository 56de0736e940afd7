package conversation

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// Collection is the name of the archive's collection in the index. It is none of
// [memory.Collections]: no recall looks into it.
const Collection = "conversations"

// Role says who spoke.
type Role string

// The roles. Tool results and thinking are archived only where that is asked for.
const (
	User      Role = "user"      // a prompt of the person, or in a subagent of the model that started it
	Assistant Role = "assistant" // an answer of the model
	Tool      Role = "tool"      // what a tool returned
	Thinking  Role = "thinking"  // what the model thought before it answered
)

// Roles lists all roles.
func Roles() []Role { return []Role{User, Assistant, Tool, Thinking} }

// MaxPartBytes bounds the text of one part of a message, so that a batch of
// messages fits into what Temporal carries. Longer messages have several parts.
const MaxPartBytes = 64 << 10

// MaxBatch bounds the parts of one batch, and MaxBatchBytes their JSON: Temporal
// refuses a message above 2 MB.
const (
	MaxBatch      = 500
	MaxBatchBytes = 1 << 20
)

// Message is one message of a conversation, or a part of one.
type Message struct {
	ID       string    `json:"id"`             // see [NewID]; all parts of a message have the same
	Part     int       `json:"part,omitempty"` // from 0
	Project  string    `json:"project"`
	Session  string    `json:"session"`
	Thread   string    `json:"thread,omitempty"` // the subagent that it was said in; empty in the conversation itself
	Role     Role      `json:"role"`
	Position int64     `json:"position"` // where it stands in its thread; only the order counts
	At       time.Time `json:"at"`       // when it was said
	Text     string    `json:"text"`
}

// NewID returns the id of a message: the same session, role and uuid, which is
// the client's own name of it, always give the same one. So a transcript that is
// read twice is archived once.
func NewID(session string, role Role, uuid string) string {
	return memory.NewID(session, Collection+"/"+string(role), uuid)
}

// Parts returns a message in parts that are not longer than [MaxPartBytes]. It
// is cut at a line's end where there is one, else at a character's. Together the
// parts are the whole text.
func (m Message) Parts() []Message {
	var out []Message
	rest := m.Text
	for {
		one := m
		one.Part = len(out)
		n := partEnd(rest)
		one.Text, rest = rest[:n], rest[n:]
		out = append(out, one)
		if rest == "" {
			return out
		}
	}
}

// partEnd is where the first part of a text ends.
func partEnd(text string) int {
	if len(text) <= MaxPartBytes {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:MaxPartBytes], '\n'); i > MaxPartBytes/2 {
		return i + 1
	}
	n := MaxPartBytes
	for n > MaxPartBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// Join is the inverse of [Message.Parts] for a list of messages: parts that stand
// side by side become one message again.
func Join(parts []Message) []Message {
	var out []Message
	for _, p := range parts {
		if n := len(out); n > 0 && out[n-1].ID == p.ID && p.Part > 0 {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// Check returns an error that is [memory.Invalid] for what cannot be kept.
func (m Message) Check() error {
	for what, name := range map[string]string{"project": m.Project, "session": m.Session, "thread": m.Thread} {
		if err := memory.CheckName(what, name); err != nil {
			return err
		}
	}
	switch {
	case !memory.ValidID(m.ID):
		return memory.Errorf(memory.Invalid, "", "a message has no id")
	case m.Project == "" || m.Session == "":
		return memory.Errorf(memory.Invalid, "", "message %s has no project or no session", m.ID)
	case !knownRole(m.Role):
		return memory.Errorf(memory.Invalid, "", "message %s has the role %q, which is none", m.ID, m.Role)
	case m.Part < 0 || m.Position < 0 || m.At.IsZero():
		return memory.Errorf(memory.Invalid, "", "message %s has no place or no time", m.ID)
	case strings.TrimSpace(m.Text) == "" && m.Part == 0:
		return memory.Errorf(memory.Invalid, "", "message %s has no text", m.ID)
	case !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		return memory.Errorf(memory.Invalid, "", "message %s is no text", m.ID)
	// Redaction may make a text longer: a short secret becomes the name of its kind.
	case len(m.Text) > 2*MaxPartBytes:
		return memory.Errorf(memory.Invalid, "", "a part of message %s has %d bytes, the limit is %d", m.ID, len(m.Text), 2*MaxPartBytes)
	}
	return nil
}

func knownRole(r Role) bool {
	for _, known := range Roles() {
		if r == known {
			return true
		}
	}
	return false
}

// Admit takes the secrets out of a message and refuses what cannot be kept. The
// door does it before the message is written to Temporal's history, and the step
// that writes it to the ledger does it again. kinds are the kinds of the secrets
// that were taken out of the text.
func Admit(r memory.Redactor, m Message) (clean Message, kinds []string, err error) {
	m.Text, kinds = r.Redact(m.Text)
	m.Project, _ = r.Redact(m.Project)
	m.Session, _ = r.Redact(m.Session)
	return m, kinds, m.Check()
}
