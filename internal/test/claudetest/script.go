package claudetest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Script says what the model answers. Rules are tried first; then each request
// of the main loop takes the next turn; then Default answers.
type Script struct {
	Rules   []Rule
	Turns   []Turn
	Default Turn // "OK." when empty
}

// Rule answers the requests whose last messages it matches.
type Rule struct {
	Match *regexp.Regexp
	Turn  Turn
}

// Turn is one answer of the model: a text, calls of tools, or an HTTP error.
type Turn struct {
	Text  string
	Tools []ToolUse
	// InputTokens is what the answer claims that the request held; 0 means 100.
	// A number near the window makes the client compact by itself.
	InputTokens int
	// Status is an HTTP error to answer with; 0 means none.
	Status int
	// Hang is called instead of an answer, which never comes: the request stays open
	// until the client leaves. Nil means an answer.
	Hang func()
}

// ToolUse is one call of a tool.
type ToolUse struct {
	Name  string
	Input map[string]any
}

// Say is a turn of words.
func Say(text string) Turn { return Turn{Text: text} }

// Call is a turn that calls one tool.
func Call(name string, input map[string]any) Turn {
	return Turn{Text: "Calling.", Tools: []ToolUse{{Name: name, Input: input}}}
}

// Summary is what the model says when it is asked to summarise a conversation.
const Summary = "<analysis>short</analysis>\n<summary>\nSTUB-SUMMARY\n</summary>"

// summarise is the client's request for a compaction.
var summarise = regexp.MustCompile(`create a detailed summary of the conversation`)

// player walks through a script. Requests may come at the same time.
type player struct {
	script Script
	mu     sync.Mutex
	used   int // turns that are played
}

// The kinds of requests.
const (
	KindMain    = "main"    // of the conversation
	KindCompact = "compact" // for a summary
	KindRule    = "rule"    // answered by a rule
	KindSide    = "side"    // without tools: titles and the like
	KindCount   = "count_tokens"
	KindOther   = "other" // anything else; answered with 404
)

// pick returns the kind of a request and the answer to it.
func (p *player) pick(b Body) (kind string, turn Turn) {
	last := b.last()
	for _, r := range p.script.Rules {
		if r.Match.MatchString(last) {
			return KindRule, r.Turn
		}
	}
	if summarise.MatchString(last) {
		return KindCompact, Say(Summary)
	}
	if len(b.Tools) == 0 {
		return KindSide, Say("stub")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used < len(p.script.Turns) {
		p.used++
		return KindMain, p.script.Turns[p.used-1]
	}
	if p.script.Default.Text == "" && len(p.script.Default.Tools) == 0 && p.script.Default.Status == 0 {
		return KindMain, Say("OK.")
	}
	return KindMain, p.script.Default
}

// Body is a request to the model, as far as it is looked at.
type Body struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	System   json.RawMessage   `json:"system"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []Message         `json:"messages"`
}

// Message is one message of a request.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a string or blocks
}

type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"` // of a tool's result
	IsError bool            `json:"is_error"`
}

// Text is one text of a request and where it stands, such as
// "3.user.tool_result".
type Text struct{ Place, Text string }

// Texts lists the texts of the conversation, in order.
func (b Body) Texts() []Text {
	var out []Text
	for i, m := range b.Messages {
		out = append(out, texts(place(i, m.Role), m.Content)...)
	}
	return out
}

func place(i int, role string) string { return strconv.Itoa(i) + "." + role }

// texts lists the texts of a content, which is a string or a list of blocks.
func texts(at string, content json.RawMessage) []Text {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return []Text{{at, s}}
	}
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	var out []Text
	for _, b := range blocks {
		switch b.Type {
		case "text":
			out = append(out, Text{at + ".text", b.Text})
		case "tool_result":
			in := at + ".tool_result"
			if b.IsError {
				in += ".error"
			}
			out = append(out, texts(in, b.Content)...)
		}
	}
	return out
}

// last is the text of the last two messages: a message of the role "system" may
// follow the one that the user sent.
func (b Body) last() string {
	var out strings.Builder
	for _, m := range b.Messages[max(0, len(b.Messages)-2):] {
		for _, t := range texts("", m.Content) {
			out.WriteString(t.Text + "\n")
		}
	}
	return out.String()
}

// ToolNames lists the names of the tools that the request offers.
func (b Body) ToolNames() []string {
	names := make([]string, 0, len(b.Tools))
	for _, raw := range b.Tools {
		var tool struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &tool) == nil {
			names = append(names, tool.Name)
		}
	}
	return names
}
