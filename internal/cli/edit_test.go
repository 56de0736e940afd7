package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestEditSendsWhatWasSaid(t *testing.T) {
	t.Parallel()
	var got memory.UpdateInput
	c := fixed()
	c.update = func(in memory.UpdateInput) (memory.Memory, error) {
		got = in
		return in.Apply(aMemory(in.ID)), nil
	}
	s := newSession(t, c)
	if code, _, stderr := s.run(t.Context(), "edit", idA, "--tags", "", "two", "words"); code != 0 || *got.Text != "two words" ||
		len(*got.Tags) != 0 || got.Type != nil || got.Importance != nil || got.Pinned != nil || got.Source != memory.SourceCLI {
		t.Errorf("exit %d, sent %+v, %s", code, got, stderr)
	}
	s.stdin = "from stdin\n"
	if code, _, _ := s.run(t.Context(), "edit", idA, "-"); code != 0 || *got.Text != "from stdin" || got.Tags != nil {
		t.Errorf("exit %d, sent %+v", code, got)
	}
	if code, _, _ := s.run(t.Context(), "edit", idA, "--keep"); code != 0 || !got.Keep || got.Text != nil {
		t.Errorf("exit %d, sent %+v", code, got)
	}
	if code, _, _ := s.run(t.Context(), "unpin", idA); code != 0 || *got.Pinned || got.Text != nil {
		t.Errorf("exit %d, sent %+v", code, got)
	}
}

// The editor is a program that changes its file, as a person would.
func TestEditInEditor(t *testing.T) {
	t.Parallel()
	var sent []memory.UpdateInput
	c := fixed()
	c.update = func(in memory.UpdateInput) (memory.Memory, error) {
		sent = append(sent, in)
		return in.Apply(aMemory(in.ID)), nil
	}
	s := newSession(t, c)
	s.tty = true
	editor := filepath.Join(s.dir, "editor")
	write := func(script string) {
		if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.env["EDITOR"] = editor + " --wait"
	write(`sed -i 's/goose/dbmate/' "$2"`)
	if code, _, stderr := s.run(t.Context(), "edit", idA); code != 0 || len(sent) != 1 || *sent[0].Text != "We use dbmate for <migrations>." {
		t.Errorf("exit %d, sent %+v, %s", code, sent, stderr)
	}
	write("exit 0")
	if code, _, stderr := s.run(t.Context(), "edit", idA); code != 0 || len(sent) != 1 || !strings.Contains(stderr, "nothing was changed") {
		t.Errorf("exit %d, sent %+v, %s", code, sent, stderr)
	}
	write("exit 3")
	if code, _, stderr := s.run(t.Context(), "edit", idA); code != ExitUnexpected || len(sent) != 1 || !strings.Contains(stderr, "run editor") {
		t.Errorf("exit %d, sent %+v, %s", code, sent, stderr)
	}
	s.env["EDITOR"] = ""
	if code, _, stderr := s.run(t.Context(), "edit", idA); code != ExitUsage || !strings.Contains(stderr, "set EDITOR") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
