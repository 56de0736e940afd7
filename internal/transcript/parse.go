package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// entry holds the fields that we need of one line. The client writes much more.
type entry struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	UUID       string          `json:"uuid"`
	Session    string          `json:"sessionId"`
	Timestamp  string          `json:"timestamp"`
	CWD        string          `json:"cwd"`
	Branch     string          `json:"gitBranch"`
	Sidechain  bool            `json:"isSidechain"`
	Meta       bool            `json:"isMeta"`
	Summary    bool            `json:"isCompactSummary"`
	ScreenOnly bool            `json:"isVisibleInTranscriptOnly"`
	APIError   bool            `json:"isApiErrorMessage"`
	Message    message         `json:"message"`
	Attachment json.RawMessage `json:"attachment"`
}

type message struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
}

// block is one content block, or a nested one of a tool result.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// parseLine reads one line. A member of an unexpected type leaves the rest
// readable, so only what is no JSON object at all is refused.
func parseLine(data []byte) (entry, bool) {
	var e entry
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return e, false
	}
	if err := json.Unmarshal(data, &e); err != nil {
		if !isTypeError(err) {
			return entry{}, false
		}
	}
	return e, true
}

func isTypeError(err error) bool {
	_, ok := err.(*json.UnmarshalTypeError) //nolint:errorlint // json.Unmarshal returns it unwrapped
	return ok
}

func uuidOf(data []byte) string {
	e, ok := parseLine(data)
	if !ok {
		return ""
	}
	return e.UUID
}

// mayHoldUUID saves parsing lines that cannot be the one looked for.
func mayHoldUUID(data []byte, uuid string) bool { return bytes.Contains(data, []byte(uuid)) }

// blocks returns the content of a message, a plain string as one text block.
func blocks(raw json.RawMessage) []block {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []block{{Type: "text", Text: s}}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := make([]block, 0, len(list))
	for _, item := range list {
		var b block
		if err := json.Unmarshal(item, &b); err == nil || isTypeError(err) {
			out = append(out, b)
		}
	}
	return out
}

// textOf joins the text blocks of a content.
func textOf(raw json.RawMessage) string {
	var parts []string
	for _, b := range blocks(raw) {
		if b.Type == "text" && b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (e *entry) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, e.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
