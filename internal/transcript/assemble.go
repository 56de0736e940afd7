package transcript

import (
	"encoding/json"
	"strings"

	"github.com/mneme-memory/mneme/internal/toolname"
)

// maxOpenCalls bounds the calls that wait for their result. Real sessions
// have a few; calls whose result never came are forgotten, oldest first.
const maxOpenCalls = 512

// assembler turns lines into events: it joins the texts of one API message and
// matches calls with their results.
type assembler struct {
	maxText  int
	thinking bool  // Thought events are wanted
	offset   int64 // of the line that is taken, see Event
	events   []Event
	open     map[string]*ToolCall
	order    []string
}

func newAssembler(maxText int) *assembler {
	return &assembler{maxText: maxText, open: make(map[string]*ToolCall)}
}

// add takes one line. prompted says that a turn of the person begins with it.
func (a *assembler) add(e entry, state State) (prompted bool) {
	switch {
	case e.Type == "user" && !e.Meta && !e.Summary && !e.ScreenOnly:
		return a.user(e, state)
	case e.Type == "assistant" && !e.APIError && e.Message.Model != "<synthetic>":
		a.assistant(e, state)
	case e.Type == "attachment":
		a.attachment(e, state)
	case e.Type == "system" && e.Subtype == "compact_boundary":
		a.emit(e, state, Compaction, "")
	}
	return false
}

func (a *assembler) user(e entry, state State) bool {
	var words []string
	for _, b := range blocks(e.Message.Content) {
		switch b.Type {
		case "tool_result":
			a.result(e, b, state)
		case "text":
			if text := human(b.Text); text != "" {
				words = append(words, text)
			}
		}
	}
	if len(words) == 0 {
		return false
	}
	a.emit(e, state, Prompt, strings.Join(words, "\n\n"))
	return !e.Sidechain
}

func (a *assembler) assistant(e entry, state State) {
	for _, b := range blocks(e.Message.Content) {
		switch {
		case b.Type == "text" && strings.TrimSpace(b.Text) != "":
			a.said(e, b.Text, state)
		case b.Type == "thinking" && a.thinking && strings.TrimSpace(b.Thinking) != "":
			a.emit(e, state, Thought, b.Thinking)
		case b.Type == "tool_use" && b.ID != "":
			a.call(e, b)
		}
	}
}

// said joins a text to the one before when both are of the same message and
// of the same step: what was taken in an earlier step must not come again.
func (a *assembler) said(e entry, text string, state State) {
	if n := len(a.events); n > 0 && e.Message.ID != "" {
		last := &a.events[n-1]
		if last.Kind == Said && last.Message == e.Message.ID && last.State == state {
			last.Text = cut(last.Text+"\n\n"+text, a.maxText)
			return
		}
	}
	a.emit(e, state, Said, text)
}

func (a *assembler) call(e entry, b block) {
	if _, again := a.open[b.ID]; again {
		return
	}
	if len(a.order) >= maxOpenCalls {
		delete(a.open, a.order[0])
		a.order = a.order[1:]
	}
	a.open[b.ID] = &ToolCall{ID: b.ID, Name: b.Name, CallUUID: e.UUID, Input: cutInput(b.Input, a.maxText)}
	a.order = append(a.order, b.ID)
}

func (a *assembler) result(e entry, b block, state State) {
	call, ok := a.open[b.ToolUseID]
	if !ok {
		return
	}
	delete(a.open, b.ToolUseID)
	for i, id := range a.order {
		if id == b.ToolUseID {
			a.order = append(a.order[:i], a.order[i+1:]...)
			break
		}
	}
	full := textOf(b.Content)
	if toolname.Ours(call.Name) {
		a.emit(e, state, Recalled, full+"\n"+strings.Join(stringsOf(call.Input), "\n"))
		return
	}
	call.Result, call.Failed = cut(full, a.maxText), b.IsError
	call.Rejected = b.IsError && rejected(full)
	a.emit(e, state, Called, "")
	a.events[len(a.events)-1].Tool = call
	if said := rejectionWords(full); call.Rejected && said != "" {
		a.emit(e, state, Prompt, said)
	}
}

// attachment keeps what hooks put into the conversation, and words that the
// person typed while the model was at work.
func (a *assembler) attachment(e entry, state State) {
	var att struct {
		Type    string          `json:"type"`
		Mode    string          `json:"commandMode"`
		Prompt  json.RawMessage `json:"prompt"`
		Content json.RawMessage `json:"content"`
		Stdout  string          `json:"stdout"`
		Meta    bool            `json:"isMeta"`
		Origin  struct {
			Kind string `json:"kind"`
		} `json:"origin"`
	}
	if err := json.Unmarshal(e.Attachment, &att); err != nil && !isTypeError(err) {
		return
	}
	switch {
	case strings.HasPrefix(att.Type, "hook_"):
		text := strings.TrimSpace(strings.Join(append(stringsOf(att.Content), att.Stdout), "\n"))
		if text != "" {
			a.emit(e, state, Recalled, text)
		}
	case att.Type == "queued_command" && att.Mode == "prompt" && !att.Meta && (att.Origin.Kind == "" || att.Origin.Kind == "human"):
		if text := human(textOf(att.Prompt)); text != "" {
			a.emit(e, state, Prompt, text)
		}
	}
}

func (a *assembler) emit(e entry, state State, kind Kind, text string) {
	event := Event{
		Kind: kind, State: state, UUID: e.UUID, Time: e.time(), Session: e.Session,
		CWD: e.CWD, Branch: e.Branch, Sidechain: e.Sidechain, Text: cut(text, a.maxText), Offset: a.offset,
	}
	if kind != Prompt {
		event.Message = e.Message.ID
	}
	a.events = append(a.events, event)
}
