package purge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// secretOf is a fixed secret, so that tests are the same each time.
func secretOf(b byte) (s secret) {
	for i := range s {
		s[i] = b
	}
	return s
}

func finderOf(texts ...string) *finder {
	s := secretOf(7)
	var of []pattern
	for i, t := range texts {
		of = append(of, s.patternOf(s.table(), fmt.Sprint(i), t))
	}
	return newFinder(s, of, false)
}

// forms are the ways in which a text may lie in a file.
func forms(t testing.TB, text string) map[string][]byte {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(quoted))
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	var ascii strings.Builder
	for _, b := range string(quoted) {
		if b < 0x80 {
			ascii.WriteRune(b)
		} else if b < 0x10000 {
			fmt.Fprintf(&ascii, `\u%04x`, b)
		} else {
			fmt.Fprintf(&ascii, `\u%04X\u%04X`, 0xd800+(b-0x10000)>>10, 0xdc00+(b-0x10000)&0x3ff)
		}
	}
	return map[string][]byte{
		"raw": []byte(text), "JSON": quoted, "JSON in JSON": twice, "JSON without HTML": plain.Bytes(), "ASCII": []byte(ascii.String()),
		"capitals": bytes.ToUpper([]byte(strings.ReplaceAll(text, "ö", "o"))), "lines": []byte(strings.ReplaceAll(text, " ", "\n  ")),
	}
}

func TestFindsEveryForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Use goose v3", "short but unmistakable text", "The API listens on port 8443 of \"api.internal\" since March.",
		"C:\\new\\table holds <the> data & its 'copies'\tand\nmore lines \\ of it", "Der Schlüssel liegt im Größenfach, 🔑 steht drauf; niemand weiß es",
		strings.Repeat("a long text with many words, number ", 3000) + "the end",
	} {
		f := finderOf(text)
		for name, data := range forms(t, text) {
			if name == "capitals" && strings.ContainsAny(text, "üßö\\") {
				continue // only ASCII is folded, and N is no escape
			}
			for _, around := range []string{"", "before ", "\x00\x01", "{\"text\":\""} {
				got := f.in(append([]byte(around), append(data, "\x00 after"...)...))
				if len(got) != 1 || !got[0].whole {
					t.Errorf("%.40q as %s after %q: %+v", text, name, around, got)
				}
			}
		}
		for _, other := range []string{"", "something else entirely, that nobody asked for", strings.Repeat("\x00\xff", 5000)} {
			if got := f.in([]byte(other)); got != nil {
				t.Errorf("%.40q is in %.40q: %+v", text, other, got)
			}
		}
	}
}

// A piece of a page of a database is a piece of the text.
func TestFindsParts(t *testing.T) {
	t.Parallel()
	text := "The zanzibar gateway speaks only on tuesdays, and needs two lantern keepers and a quokka to be opened."
	got := finderOf(text).in([]byte("xx\x00" + text[:60] + "\x00\x02\x03"))
	if len(got) != 1 || got[0].whole || got[0].parts != 1 {
		t.Errorf("%+v, want one part", got)
	}
}

func TestShortTextsAreNotLookedFor(t *testing.T) {
	t.Parallel()
	if p := secretOf(1).patternOf(secretOf(1).table(), "x", "use  vi\x00m"); len(p.Windows) != 0 {
		t.Errorf("%+v", p)
	}
	if got := finderOf("use vim").in([]byte("use vim")); got != nil {
		t.Errorf("%+v", got)
	}
}

// Without the secret the same text has other hashes.
func TestHashesDependOnTheSecret(t *testing.T) {
	t.Parallel()
	text := "the quokka sleeps in the vault"
	a, b := secretOf(1), secretOf(2)
	p, q := a.patternOf(a.table(), "x", text), b.patternOf(b.table(), "x", text)
	if p.Windows[0].Hash == q.Windows[0].Hash || bytes.Equal(p.Windows[0].MAC, q.Windows[0].MAC) || bytes.Equal(a.digest("x", text), b.digest("x", text)) {
		t.Error("the hashes are the same under another secret")
	}
}

// FuzzFinder holds every text against its forms in arbitrary surroundings, in pieces.
func FuzzFinder(f *testing.F) {
	f.Add("The API listens on port 8443.", []byte("before\x00"), uint8(3))
	f.Add("C:\\new\\table \\u0041\\ud83d\\", []byte("{\"a\":\""), uint8(1))
	f.Fuzz(func(t *testing.T, text string, before []byte, step uint8) {
		p := secretOf(7).patternOf(secretOf(7).table(), "x", text)
		finder := newFinder(secretOf(7), []pattern{p}, false)
		s := finder.scan()
		data := append(append(before, 0), text...)
		for len(data) > 0 {
			n := min(len(data), int(step)+1)
			_, _ = s.Write(data[:n])
			data = data[n:]
		}
		if len(p.Windows) > 0 && len(s.found) != len(p.Windows) {
			t.Errorf("%d of %d windows of %q", len(s.found), len(p.Windows), text)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	f := finderOf("The API listens on port 8443 since March of this year.", "Use goose", "a text of some length")
	data := bytes.Repeat([]byte("Lorem ipsum dolor sit amet, consetetur sadipscing elitr.\x00\x17\xfe\x00\x00"), 1<<14)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		f.in(data)
	}
}
