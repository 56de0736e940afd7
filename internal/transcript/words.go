package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// clientWords begin the texts that the client writes in the person's place.
var clientWords = []string{
	"<command-name>", "<command-message>", "<command-args>", "<local-command-", "<task-notification>",
	"<system-reminder>", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>", "<ide_",
	"[Request interrupted by user", "Caveat: The messages below", "Stop hook feedback:",
	"This session is being continued from a previous conversation",
}

// human returns the person's own words in a text, "" when there are none.
func human(text string) string {
	text = strings.TrimSpace(text)
	for _, begin := range clientWords {
		if strings.HasPrefix(text, begin) {
			return ""
		}
	}
	return strings.TrimSpace(without(text, "<system-reminder>", "</system-reminder>"))
}

// without takes out what stands between two marks; an unclosed one goes to the end.
func without(text, from, to string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, from)
		if i < 0 {
			break
		}
		out.WriteString(text[:i])
		j := strings.Index(text[i:], to)
		if j < 0 {
			return out.String()
		}
		text = text[i+j+len(to):]
	}
	if out.Len() == 0 {
		return text
	}
	out.WriteString(text)
	return out.String()
}

// The client's own sentences for a tool that did not run.
const (
	refusedWords  = "The user doesn't want to "
	refusedReason = "the user said:\n"
)

func rejected(result string) bool {
	return strings.HasPrefix(result, refusedWords) || strings.HasPrefix(result, "Permission to use ") ||
		strings.HasPrefix(result, "PreToolUse:")
}

// rejectionWords are what the person wrote when refusing a tool.
func rejectionWords(result string) string {
	_, said, ok := strings.Cut(result, refusedReason)
	if !ok {
		return ""
	}
	return human(said)
}

// cut shortens a text to about limit bytes by taking out its middle: errors
// stand at the beginning or at the end of what a command prints.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= limit {
		return text
	}
	head, tail := limit/2, len(text)-limit/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes …]\n%s", text[:head], tail-head, text[tail:])
}

// cutInput returns a tool's input as a JSON object whose strings are not
// longer than limit, "{}" when it is none.
func cutInput(raw json.RawMessage, limit int) json.RawMessage {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return json.RawMessage("{}")
	}
	if len(raw) <= limit {
		return slices.Clone(raw)
	}
	// Sizes add up over many members: each gets less the more there are.
	total := 0
	eachString(members, func(string) string { total++; return "" })
	if json.Unmarshal(raw, &members) != nil {
		return json.RawMessage("{}")
	}
	each := max(limit/max(total, 1), 64)
	eachString(members, func(s string) string { return cut(s, each) })
	out, err := json.Marshal(members)
	if err != nil || len(out) > 4*limit+1024 { // too many small pieces to be of use
		return json.RawMessage("{}")
	}
	return out
}

// eachString replaces every string of a decoded JSON value.
func eachString(v any, replace func(string) string) any {
	switch v := v.(type) {
	case string:
		return replace(v)
	case []any:
		for i := range v {
			v[i] = eachString(v[i], replace)
		}
	case map[string]any:
		for k := range v {
			v[k] = eachString(v[k], replace)
		}
	}
	return v
}

// stringsOf collects the strings of a JSON value: of a list in their order,
// of an object in the order of its keys.
func stringsOf(raw json.RawMessage) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return collect(v, nil)
}

func collect(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, item := range v {
			out = collect(item, out)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			out = collect(v[k], out)
		}
	}
	return out
}
