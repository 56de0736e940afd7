package cli

import (
	"bytes"
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mneme-memory/mneme/internal/review"
	"github.com/mneme-memory/mneme/memory"
)

func reviewItems() []review.Item {
	item := func(id, text, kind string) review.Item {
		return review.Item{Memory: memory.Memory{
			ID: id, Text: text, Type: kind, Project: "shop", Collection: memory.ShortTerm, Tags: []string{"deploy"},
			Confidence: .5, CreatedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		}}
	}
	return []review.Item{
		item("1", "We deploy on Mondays.", memory.TypeFact), item("2", "Deploys happen on Mondays.", memory.TypeFact),
		item("3", "The cache was \x1b[31mcold.", memory.TypeNote), item("4", "Use pnpm, not npm.", memory.TypeFact),
	}
}

// press sends keys to a screen and returns what it asked the program to do last.
func press(s *screen, keys ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		switch k {
		case "right":
			msg = tea.KeyPressMsg{Code: tea.KeyRight}
		case "ctrl+c":
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		_, cmd = s.Update(msg)
	}
	return cmd
}

func TestReviewScreenCollectsDecisions(t *testing.T) {
	t.Parallel()
	s := newScreen(reviewItems(), []string{"true"})
	assert.Contains(t, s.text(), "1 of 4")
	press(s, "m", "right", "m") // the first two say the same
	assert.Contains(t, s.text(), "will be merged with 1")
	press(s, "right", "f", "p")
	assert.Contains(t, s.text(), "4 of 4   3 decided")
	assert.Empty(t, s.decisions(), "nothing is done before the end")
	press(s, "q")
	assert.Contains(t, s.text(), "Do it?")
	require.NotNil(t, press(s, "y"))
	assert.Equal(t, []review.Decision{
		{Action: review.Merge, ID: "2", With: []string{"1"}}, {Action: review.Forget, ID: "3"}, {Action: review.Pin, ID: "4"},
	}, s.decisions())
}

func TestReviewScreenCanBeLeftUnchanged(t *testing.T) {
	t.Parallel()
	s := newScreen(reviewItems(), []string{"true"})
	press(s, "k", "b", "u")
	require.NotNil(t, press(s, "q"), "nothing decided: nothing to ask")
	assert.Empty(t, s.decisions())

	s = newScreen(reviewItems(), []string{"true"})
	press(s, "f", "q", "x")
	assert.NotContains(t, s.text(), "Do it?", "any other key goes back")
	require.NotNil(t, press(s, "q", "n"))
	assert.Empty(t, s.decisions())

	s = newScreen(reviewItems(), []string{"true"})
	require.NotNil(t, press(s, "f", "ctrl+c"), "an interrupt asks nothing and does nothing")
	assert.Empty(t, s.decisions())
}

func TestReviewScreenMergesOnlyWhatBelongsTogether(t *testing.T) {
	t.Parallel()
	s := newScreen(reviewItems(), []string{"true"})
	press(s, "m", "right", "right", "m")
	assert.Contains(t, s.text(), "only memories of one project, collection and type")
	press(s, "m", "m")
	assert.Contains(t, s.text(), "not merged")
	assert.Empty(t, s.decided)
}

func TestReviewScreenShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	s := newScreen(reviewItems(), []string{"true"})
	press(s, "right", "right")
	assert.NotContains(t, s.text(), "\x1b")
}

func TestReviewScreenTakesAnEdit(t *testing.T) {
	t.Parallel()
	s := newScreen(reviewItems(), []string{"true"})
	s.Update(edited{id: "1", text: "We deploy on Tuesdays."})
	assert.Contains(t, s.text(), "We deploy on Tuesdays.")
	s.Update(edited{id: "2", text: ""})
	assert.Contains(t, s.text(), "not edited")
	assert.Len(t, s.decided, 1)
}

// drawn is a terminal that says when it has shown a text.
type drawn struct {
	text  string
	seen  bytes.Buffer
	shown chan struct{}
}

func (d *drawn) Write(p []byte) (int, error) {
	had := bytes.Contains(d.seen.Bytes(), []byte(d.text))
	d.seen.Write(p)
	if !had && bytes.Contains(d.seen.Bytes(), []byte(d.text)) {
		close(d.shown)
	}
	return len(p), nil
}

// TestReviewScreenRuns runs the program itself on keys as a terminal sends them.
func TestReviewScreenRuns(t *testing.T) {
	t.Parallel()
	in, keys := io.Pipe()
	out := &drawn{text: "Mondays", shown: make(chan struct{})}
	go func() {
		<-out.shown
		_, _ = io.WriteString(keys, "kfqy")
	}()
	s := newScreen(reviewItems(), []string{"true"})
	_, err := tea.NewProgram(s, tea.WithContext(t.Context()), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithWindowSize(80, 24), tea.WithoutSignalHandler()).Run()
	require.NoError(t, err)
	assert.Len(t, s.decisions(), 2)
}
