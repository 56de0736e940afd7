package purge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/memory"
)

// secretWord is redacted wherever it stands.
type secretWord string

func (w secretWord) Redact(text string) (string, []string) {
	clean := strings.ReplaceAll(text, string(w), "[redacted:password:ab12]")
	if clean == text {
		return text, nil
	}
	return clean, []string{"password"}
}

// TestRedactHome redacts what lies beside the ledger, and finds there also a part that is too short to
// be looked for by itself.
func TestRedactHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const pin = "4711"
	h := &told{runs: map[Run]string{{"store/a", "1", false}: "the PIN is " + pin + " there", {"store/b", "2", false}: "no number"}}
	k := &Keeper{Home: home, Histories: h, Redaction: func(_, project string) (memory.Redaction, error) {
		return memory.Redaction{Base: secretWord(pin), Project: project}, nil
	}}
	path, err := k.BeginRedaction("redact/x", memory.RedactInput{User: "me"})
	check(t, err)
	before := memory.Memory{ID: idA, Text: "The PIN is " + pin + " there."}
	after := before
	after.Text = "The PIN is [redacted:password:ab12] there."
	for range 2 { // the second is that of a worker that goes on for a killed one
		check(t, k.NoteRedacted(path, 0, []memory.Redacted{{Before: before, After: after}}))
	}
	write(t, filepath.Join(home, "spool", "aa.json"), `{"key":"k","store":{"text":"try `+pin+` first"}}`)
	write(t, filepath.Join(home, "logs", "hooks.jsonl"), "one\ntwo "+pin+"\n")
	check(t, session.Open(home).Update(t.Context(), "s", func(s *session.State) error {
		s.Topic = "is it " + pin + "?"
		s.Open = &session.Unfinished{Command: "login " + pin, Error: "denied"}
		s.Fail(session.Failure{Command: "ok", Error: "not " + pin})
		return nil
	}))
	none := func(context.Context, memory.Cleaning) (int, error) { return 0, nil }
	sweeps := memory.Sweeps{Messages: none, Questions: none, Plans: none, Audit: none, Versions: none}
	would, err := k.Survey(t.Context(), memory.RedactInput{}, sweeps, func() {})
	if err != nil || would != (memory.Swept{Spooled: 1, Sessions: 1, LogLines: 1, Histories: 1}) {
		t.Errorf("a survey counts %+v, %v", would, err)
	}
	stays := texts(memory.LedgerText{Place: memory.PlaceMemory, ID: idA, Text: after.Text}, memory.LedgerText{Place: memory.PlaceVersion, ID: idA, Text: after.Text})
	check(t, k.CleanLedger(t.Context(), path, "ledger", sweeps, func() {}))
	check(t, k.Mark(t.Context(), path, stays))
	for range 2 {
		check(t, k.Clean(t.Context(), path, "clean"))
	}
	if n, _, err := k.Forget(t.Context(), path, "forget", func() {}); n != 1 || err != nil || len(h.runs) != 1 {
		t.Errorf("deleted %d histories, %v", n, err)
	}
	report, err := k.Search(t.Context(), path, true, nil, stays, func() {})
	check(t, err)
	if !report.Clean() || report.Swept != would || report.Texts == 0 {
		t.Errorf("%+v", report)
	}
	left, err := os.ReadFile(filepath.Join(home, "spool", "aa.json"))
	if err != nil || !strings.Contains(string(left), "try [redacted:password:ab12] first") {
		t.Errorf("the request is %q, %v", left, err)
	}
	if state, _, err := session.Open(home).Get("s"); err != nil || strings.Contains(state.Topic+state.Open.Command+state.Failures[0].Error, pin) || len(state.Failures) != 1 {
		t.Errorf("%+v, %v", state, err)
	}
	write(t, filepath.Join(home, "mine.txt"), "As said, the pin IS "+pin+" there")
	if report, err = k.Search(t.Context(), path, false, nil, stays, func() {}); err != nil || report.Clean() {
		t.Errorf("in a file again: %+v, %v", report, err)
	}
	if _, err := k.BeginRedaction("redact/y", memory.RedactInput{Dir: filepath.Join(home, "none")}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a folder that is not there: %v", err)
	}
}
