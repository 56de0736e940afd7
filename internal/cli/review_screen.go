package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mneme-memory/mneme/internal/review"
	"github.com/mneme-memory/mneme/memory"
)

// screen shows one memory after the other and collects decisions. Nothing is
// carried out while it is open: what was decided can be changed until the end.
type screen struct {
	items    []review.Item
	at       int
	merging  int // index of the item that waits for its partner, -1 for none
	decided  map[string]review.Decision
	editor   []string
	width    int
	message  string
	asking   bool // whether to carry out the decisions
	accepted bool
}

// newScreen returns a screen over items. Editor is the command that edits a
// file, its words split already.
func newScreen(items []review.Item, editor []string) *screen {
	return &screen{items: items, merging: -1, decided: map[string]review.Decision{}, editor: editor, width: 80}
}

// decisions returns what is to be carried out, in the order of the items; none
// when the person left without saying so.
func (s *screen) decisions() []review.Decision {
	var out []review.Decision
	if !s.accepted {
		return out
	}
	for _, it := range s.items {
		if d, ok := s.decided[it.ID]; ok {
			out = append(out, d)
		}
	}
	return out
}

// Init implements [tea.Model].
func (s *screen) Init() tea.Cmd { return nil }

// edited carries a text back from the editor.
type edited struct {
	id, text string
	err      error
}

// Update implements [tea.Model].
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width = max(msg.Width, 40)
	case edited:
		s.takeEdit(msg)
	case tea.KeyPressMsg:
		s.message = ""
		if s.asking {
			return s, s.answer(msg.String())
		}
		return s, s.key(msg.String())
	}
	return s, nil
}

// key acts on a key while memories are shown.
func (s *screen) key(key string) tea.Cmd {
	switch key {
	case "q", "esc", "ctrl+c":
		return s.leave(key == "ctrl+c")
	case "n", "right", "down", "space", "enter":
		s.move(1)
	case "b", "left", "up":
		s.move(-1)
	case "k":
		s.decide(review.Decision{Action: review.Keep})
	case "p":
		s.decide(review.Decision{Action: review.Pin})
	case "f":
		s.decide(review.Decision{Action: review.Forget})
	case "u":
		delete(s.decided, s.items[s.at].ID)
	case "m":
		s.merge()
	case "e":
		return s.edit()
	}
	return nil
}

func (s *screen) move(by int) { s.at = min(max(s.at+by, 0), len(s.items)-1) }

// decide notes a decision on the memory that is shown, and goes on.
func (s *screen) decide(d review.Decision) {
	d.ID = s.items[s.at].ID
	s.decided[d.ID] = d
	s.move(1)
}

// merge marks a memory, or joins the marked one with the one that is shown.
func (s *screen) merge() {
	if s.merging < 0 {
		s.merging, s.message = s.at, "go to the memory that says the same and press m again"
		return
	}
	one, other := s.items[s.merging], s.items[s.at]
	s.merging = -1
	switch {
	case one.ID == other.ID:
		s.message = "not merged"
	case one.Project != other.Project || one.Collection != other.Collection || one.Type != other.Type:
		s.message = "only memories of one project, collection and type can become one"
	default:
		delete(s.decided, one.ID)
		s.decided[other.ID] = review.Decision{Action: review.Merge, ID: other.ID, With: []string{one.ID}}
		s.message = "the two will become one"
	}
}

// leave ends the screen, or asks first when something was decided.
func (s *screen) leave(now bool) tea.Cmd {
	if now || len(s.decided) == 0 {
		return tea.Quit
	}
	s.asking = true
	return nil
}

func (s *screen) answer(key string) tea.Cmd {
	switch key {
	case "y", "enter":
		s.accepted = true
		return tea.Quit
	case "n", "ctrl+c":
		return tea.Quit
	default:
		s.asking = false
		return nil
	}
}

// edit opens the editor on the text that is shown.
func (s *screen) edit() tea.Cmd {
	it := s.items[s.at]
	f, err := os.CreateTemp("", "mneme-edit-*.txt") // mode 0600
	if err == nil {
		_, err = f.WriteString(it.Text + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.message = "cannot edit: " + err.Error()
		return nil
	}
	cmd := exec.Command(s.editor[0], append(slices.Clone(s.editor[1:]), f.Name())...)
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		text, readErr := os.ReadFile(f.Name())
		return edited{it.ID, strings.TrimSpace(string(text)), errors.Join(err, readErr, os.Remove(f.Name()))}
	})
}

func (s *screen) takeEdit(e edited) {
	i := slices.IndexFunc(s.items, func(it review.Item) bool { return it.ID == e.id })
	switch {
	case i < 0:
	case e.err != nil:
		s.message = "not edited: " + e.err.Error()
	case e.text == s.items[i].Text:
		s.message = "not edited: the text is the same"
	default:
		if err := memory.CheckText(e.text, memory.MaxTextBytes); err != nil {
			s.message = "not edited: " + err.Error()
			return
		}
		s.decided[e.id] = review.Decision{Action: review.Edit, ID: e.id, Text: e.text}
	}
}

// View implements [tea.Model].
func (s *screen) View() tea.View {
	v := tea.NewView(s.text())
	v.AltScreen = true
	return v
}

func (s *screen) text() string {
	if s.asking {
		return s.summary()
	}
	it := s.items[s.at]
	d, decided := s.decided[it.ID]
	text := it.Text
	if d.Action == review.Edit {
		text = d.Text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d   %d decided\n\n", s.at+1, len(s.items), len(s.decided))
	b.WriteString(firstLines(wrap(text, s.width, "")) + "\n\n")
	fmt.Fprintf(&b, "%s · %s · %s · confidence %.2f · used %s · %s\n", it.Type, printable(it.Project), it.Collection,
		it.Confidence, plural(it.AccessCount, "time", "times"), it.CreatedAt.Format("2006-01-02"))
	if len(it.Tags) > 0 {
		b.WriteString("tags: " + printable(strings.Join(it.Tags, ", ")) + "\n")
	}
	if it.ExpiresAt != nil {
		b.WriteString("expires " + it.ExpiresAt.Format("2006-01-02") + " unless it is kept\n")
	}
	if it.Suggestion != "" {
		b.WriteString("suggestion: " + it.Suggestion + "\n")
	}
	if decided {
		b.WriteString("\n→ " + describe(d) + "\n")
	}
	if s.merging >= 0 {
		b.WriteString("\nto be merged: " + oneLine(s.items[s.merging].Text, s.width-16) + "\n")
	}
	if s.message != "" {
		b.WriteString("\n" + s.message + "\n")
	}
	b.WriteString("\nk keep  e edit  m merge  f forget  p pin  u undecide   n next  b back  q finish\n")
	return b.String()
}

// summary shows what would be done.
func (s *screen) summary() string {
	var b strings.Builder
	b.WriteString("To be done:\n\n")
	for _, it := range s.items {
		if d, ok := s.decided[it.ID]; ok {
			fmt.Fprintf(&b, "  %-8s %s\n", d.Action, oneLine(it.Text, s.width-12))
		}
	}
	b.WriteString("\nDo it?  y yes   n no, leave everything as it is   any other key: back\n")
	return b.String()
}

func describe(d review.Decision) string {
	switch d.Action {
	case review.Merge:
		return "will be merged with " + strings.Join(d.With, ", ")
	case review.Edit:
		return "will have this text"
	default:
		return "will be: " + map[review.Action]string{review.Keep: "kept", review.Pin: "pinned", review.Forget: "forgotten"}[d.Action]
	}
}

// firstLines keeps a long text from pushing the keys off the screen.
func firstLines(text string) string {
	const most = 18
	lines := strings.Split(text, "\n")
	if len(lines) <= most {
		return text
	}
	return strings.Join(lines[:most], "\n") + "\n… " + plural(len(lines)-most, "line", "lines") + " more"
}
