package memory

import (
	"strings"
	"testing"
)

// hiding takes a word out, with a marker.
type hiding string

func (h hiding) Redact(text string) (string, []string) {
	clean := strings.ReplaceAll(text, string(h), "[redacted:password:ab12]")
	if clean == text {
		return text, nil
	}
	return clean, []string{"password"}
}

func TestRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"nothing", "nothing", ""},
		{"it is hunter2.", "it is [redacted:password:ab12].", "hunter2"},
		{"hunter2", "[redacted:password:ab12]", "hunter2"},
		{"a one b two c", "a [redacted:x] b [redacted:x] c", "one|two"},
		{"a [redacted:x:0011] b two", "a [redacted:x:0011] b [redacted:y]", "two"},
		{"ab", "[redacted:x][redacted:y]", "ab"},
		{"something", "else", "something"},
		{"tag", "", "tag"},
		{"a [redacted:", "a [redacted:", ""},
	} {
		var got []string
		for _, span := range Removed(c.before, c.after) {
			got = append(got, c.before[span[0]:span[1]])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func FuzzRemoved(f *testing.F) {
	f.Add("it is hunter2.", "it is [redacted:password:ab12].")
	f.Add("a[redacted:x]", "[redacted:x]a")
	f.Fuzz(func(t *testing.T, before, after string) {
		last := 0
		for _, span := range Removed(before, after) {
			if span[0] < last || span[1] < span[0] || span[1] > len(before) {
				t.Fatalf("%q to %q: %v", before, after, span)
			}
			last = span[1]
		}
	})
}

// A redaction of a project's rules leaves other projects alone, and a memory keeps all but words.
func TestRedactionOfMemory(t *testing.T) {
	t.Parallel()
	r := Redaction{Base: hiding("base"), Local: hiding("falcon"), Project: "p"}
	in := Cleaning{Clean: r.Text, Name: r.Name}
	m := Memory{ID: "x", Project: "p", Text: "the falcon flies", Tags: []string{"bird", "falcon"}, Confidence: 0.7, ContentHash: ContentHash("the falcon flies")}
	clean, changed := in.Memory(m)
	if !changed || strings.Contains(clean.Text+strings.Join(clean.Tags, " "), "falcon") || clean.ContentHash != ContentHash(clean.Text) ||
		clean.ID != m.ID || clean.Confidence != m.Confidence || m.Tags[1] != "falcon" {
		t.Errorf("%+v", clean)
	}
	m.Project = "q"
	if _, changed := in.Memory(m); changed {
		t.Error("a project's rules hold in another project")
	}
}
