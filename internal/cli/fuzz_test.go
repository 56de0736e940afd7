package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// FuzzParseLine checks that whatever a line holds, it is refused or becomes a
// memory that the workflows accept as it is.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{
		`{"text": "a", "tags": ["B", "b"], "created_at": "2024-01-01T00:00:00+02:00", "importance": 0.2}`,
		`{"text": "a", "position": -1}`, `{"text": null}`, `null`, `{}`, `[`, `{"text": "\ud800"}`, `{"text":"a","text":1}`,
		"{\"text\": \"\xff\"}", `{"text": "a", "created_at": "0000-01-01"}`, `{"text": "a", "importance": 1e400}`,
		`{"text": "a", "id": "00000000-0000-8000-8000-00000000000a", "confidence": 0.5, "updated_at": "2024-01-01T00:00:00Z", "links": [{"target_id": "00000000-0000-8000-8000-00000000000b", "link_type": "clarifies"}]}`,
		`{"text": "a", "id": "00000000-0000-8000-8000-00000000000a", "confidence": "high", "links": 7}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := parseLine(line, memory.StoreInput{Project: "p"}, nil)
		in := p.in
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "main.") {
				t.Errorf("unclear: %v", err)
			}
			return
		}
		again, err := in.Clean()
		if err != nil || again.Text != in.Text || !utf8.ValidString(in.Text) || in.Source != memory.SourceImport {
			t.Errorf("%+v is not clean: %v", in, err)
		}
		if in.CreatedAt != nil {
			if _, err := in.CreatedAt.MarshalJSON(); err != nil {
				t.Errorf("created_at cannot be written: %v", err)
			}
		}
	})
}

// FuzzNextLine checks the line reader against splitting in memory.
func FuzzNextLine(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), 2)
	f.Add([]byte("\n"), 0)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		if limit < 0 || limit > 1000 {
			return
		}
		want := bytes.Split(data, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		r := bufio.NewReaderSize(bytes.NewReader(data), 16)
		for i := 0; ; i++ {
			line, long, err := nextLine(r, limit)
			if errors.Is(err, io.EOF) {
				if i != len(want) {
					t.Fatalf("%d lines, want %d", i, len(want))
				}
				return
			}
			if err != nil || i >= len(want) {
				t.Fatalf("line %d: %v", i, err)
			}
			if (len(want[i]) > limit) != long || !long && !bytes.Equal(line, bytes.TrimSpace(want[i])) {
				t.Fatalf("line %d: %q long %v, want %q", i, line, long, want[i])
			}
		}
	})
}

// FuzzParseDate checks that every accepted date can be written and read again.
func FuzzParseDate(f *testing.F) {
	for _, seed := range []string{
		"2026-01-31", "2026-01-31T18:30:00Z", "2026-01-31T18:30:00.123456789-11:30", "2026-01-31 18:30", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := memory.ParseDate(s, time.UTC)
		if err != nil {
			if memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		again, err := memory.ParseDate(got.UTC().Format(time.RFC3339Nano), time.UTC)
		if err != nil || !again.Equal(got) {
			t.Errorf("%q: %v became %v, %v", s, got, again, err)
		}
	})
}

// FuzzWrap checks that no text reaches a terminal with control characters or
// lines that are too long.
func FuzzWrap(f *testing.F) {
	f.Add("a \x1b[31mred\x1b[0m word\r\nnext", 40)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 40 || width > 200 {
			return
		}
		for _, line := range strings.Split(wrap(text, width, "  "), "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("control character in %q", line)
			}
			if words := strings.Fields(line); len(words) > 1 && utf8.RuneCountInString(line) > width {
				t.Errorf("%q is longer than %d", line, width)
			}
		}
	})
}
