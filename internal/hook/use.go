package hook

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/memory"
)

// What shows that a memory was used. It is an estimate for the value ledger
// (which injections were worth their tokens), and nothing else depends on it.
const (
	maxTerms   = 16
	leastTerm  = 4 // letters
	wordsInRow = 5 // of a memory, that nobody writes by chance
	maxLooked  = 64 << 10
)

var word = regexp.MustCompile(`[\pL\pN][\pL\pN_./:@+-]*[\pL\pN]`)

// terms returns what is distinctive about a text: names, numbers, paths and
// options, in lower case. What is in but is not: it is on everyone's lips.
func terms(text, but string) []string {
	but = strings.ToLower(but)
	var out []string
	for _, w := range word.FindAllString(text, -1) {
		lower := strings.ToLower(w)
		if len(w) < leastTerm || !telling(w) || strings.Contains(but, lower) || slices.Contains(out, lower) {
			continue
		}
		if out = append(out, lower); len(out) == maxTerms {
			break
		}
	}
	return out
}

// telling reports whether a word is more than a word of the language: it holds
// a digit, a mark inside, or a capital letter after its first.
func telling(w string) bool {
	for i, r := range w {
		if unicode.IsDigit(r) || strings.ContainsRune("_./:@+-", r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// uses reports whether text shows that a memory was used: by its id, by two of
// its terms (one, if it has no more), or by several of its words in a row.
func uses(text string, i session.Injection) bool {
	if strings.Contains(text, memory.ShortID(i.ID)) {
		return true
	}
	found := 0
	for _, t := range i.Terms {
		if strings.Contains(text, t) {
			found++
		}
	}
	return found >= 2 || found == 1 && len(i.Terms) == 1 || inRow(text, i.Text)
}

// inRow reports whether text has some words of a memory, one after the other.
func inRow(text, memory string) bool {
	words := word.FindAllString(strings.ToLower(memory), -1)
	joined := " " + strings.Join(word.FindAllString(text, -1), " ") + " "
	for i := 0; i+wordsInRow <= len(words); i++ {
		if strings.Contains(joined, " "+strings.Join(words[i:i+wordsInRow], " ")+" ") {
			return true
		}
	}
	return false
}

// noteUse records which of the memories that the session was shown turn up in
// what the model does next. Each counts once a session.
func (r *run) noteUse(ctx context.Context, state session.State, text, how string) ([]string, error) {
	if text == "" || !slices.ContainsFunc(state.Injected, func(i session.Injection) bool { return !i.Used }) {
		return nil, nil
	}
	text = strings.ToLower(memory.Clip(text, maxLooked))
	var used []string
	for _, i := range state.Injected {
		if !i.Used && uses(text, i) {
			used = append(used, i.ID)
		}
	}
	for _, id := range used {
		err := r.record(memory.ActionUse+"/"+r.in.Session+"/"+id, memory.ActionUse, []string{id}, map[string]any{"how": how, "tool": r.in.ToolName})
		if err != nil {
			return nil, err
		}
	}
	if len(used) == 0 {
		return nil, nil
	}
	r.log.Used = used
	return used, r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		for i := range s.Injected {
			if slices.Contains(used, s.Injected[i].ID) {
				s.Injected[i].Used = true
			}
		}
		return nil
	})
}

// inputText is all the text in a call's input.
func inputText(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	var b strings.Builder
	collect(v, &b)
	return b.String()
}

func collect(v any, b *strings.Builder) {
	if b.Len() > maxLooked {
		return
	}
	switch v := v.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, e := range v {
			collect(e, b)
		}
	case map[string]any:
		for _, e := range v {
			collect(e, b)
		}
	}
}
