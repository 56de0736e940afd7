package memory_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/memory"
)

func TestMergeTexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ a, b, want string }{
		"the same":          {"Use tabs.", "use tabs", "Use tabs."},
		"more":              {"Use tabs.", "Use tabs. Never spaces.", "Use tabs. Never spaces."},
		"abbreviation":      {"Ask Dr. Fox first.", "Ask Dr. Fox first. Then merge.", "Ask Dr. Fox first. Then merge."},
		"number":            {"Pi is 3.14 here.", "Pi is 3.15 here.", "Pi is 3.14 here. Pi is 3.15 here."},
		"list":              {"Steps:\n- build\n- test", "Steps:\n- build\n- ship", "Steps:\n- build\n- test\n- ship"},
		"code":              {"Run:\n```\nmake. Now\n```", "Run:\n```\nmake. Now\n```\nThen rest.", "Run:\n```\nmake. Now\n```\nThen rest."},
		"no stop":           {"Use tabs", "Go is fun", "Use tabs\nGo is fun"},
		"empty":             {"", "Use tabs.", "Use tabs."},
		"another case":      {"Set HOME.", "Set home.", "Set HOME. Set home."},
		"absorbed repeats":  {"Ab cd.", "Ef gh. Ef gh.", "Ab cd. Ef gh."},
		"Chinese sentences": {"使用制表符。不要空格。", "使用制表符。", "使用制表符。不要空格。"},
	} {
		if got := memory.MergeTexts(c.a, c.b); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func anyText(t *rapid.T, label string) string {
	sentence := rapid.SampledFrom([]string{
		"Use tabs.", "Port 5432 is taken.", "Ask Dr. Fox.", "- a list", "no stop", "See e.g. main.go for it.", "`x. Y` is code.",
		"```\ncode. More\n```", "Really?", "使用。", "(In brackets.)", "2. Second",
	})
	glue := rapid.SampledFrom([]string{" ", "\n", "\n\n"})
	var b strings.Builder
	for i := range rapid.IntRange(1, 6).Draw(t, label) {
		if i > 0 {
			b.WriteString(glue.Draw(t, "glue"))
		}
		b.WriteString(sentence.Draw(t, "sentence"))
	}
	return b.String()
}

func anyRecord(t *rapid.T, id string) memory.Record {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := memory.Record{Memory: memory.Memory{
		ID: id, Text: anyText(t, id), Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
		Importance: rapid.Float64Range(0, 1).Draw(t, "importance"), Pinned: rapid.Bool().Draw(t, "pinned"),
		AccessCount: rapid.IntRange(0, 9).Draw(t, "count"), Model: "m",
		Tags:      rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3, rapid.ID).Draw(t, "tags"),
		CreatedAt: start.Add(time.Duration(rapid.IntRange(0, 99).Draw(t, "created")) * time.Hour),
	}}
	r.LastAccessed = r.CreatedAt
	r.ContentHash = memory.ContentHash(r.Text)
	r.Vector = memory.Vector{rapid.Float32Range(.1, 1).Draw(t, "x"), rapid.Float32Range(.1, 1).Draw(t, "y")}
	return r
}

func TestMergeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRecord(t, "a"), anyRecord(t, "b")
		m := memory.Merge(a, b)
		if m.ID != a.ID || m.Confidence < max(a.Confidence, b.Confidence) || m.Confidence > 1 {
			t.Fatalf("merged into %s with confidence %v of %v and %v", m.ID, m.Confidence, a.Confidence, b.Confidence)
		}
		if m.Pinned != (a.Pinned || b.Pinned) || m.AccessCount != a.AccessCount+b.AccessCount || m.ContentHash != memory.ContentHash(m.Text) {
			t.Fatalf("bad sums in %+v", m)
		}
		// Nothing is lost: neither text has anything to add any more.
		for _, text := range []string{a.Text, b.Text, m.Text} {
			if again := memory.MergeTexts(m.Text, text); again != m.Text {
				t.Fatalf("%q still adds to %q: %q", text, m.Text, again)
			}
		}
		for _, word := range strings.Fields(a.Text + " " + b.Text) {
			if !strings.Contains(strings.ToLower(m.Text), strings.ToLower(strings.Trim(word, ".?-*"))) {
				t.Fatalf("%q is lost from %q", word, m.Text)
			}
		}
	})
}

func TestMergeNeverCuts(t *testing.T) {
	t.Parallel()
	a := memory.Record{Memory: memory.Memory{Text: strings.Repeat("a", memory.MaxTextBytes-3)}}
	b := memory.Record{Memory: memory.Memory{Text: "Another sentence."}}
	if memory.Mergeable(a, b) {
		t.Error("what does not fit is called mergeable")
	}
	if got := memory.Merge(a, b); got.Text != a.Text {
		t.Error("the survivor's text was changed")
	}
}

func TestSurvivor(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rec := func(id string, pinned bool, confidence float64, created time.Time) memory.Record {
		return memory.Record{Memory: memory.Memory{ID: id, Pinned: pinned, Confidence: confidence, CreatedAt: created}}
	}
	for name, c := range map[string]struct {
		records []memory.Record
		want    int
	}{
		"none":       {nil, -1},
		"pinned":     {[]memory.Record{rec("a", false, 1, day), rec("b", true, 0, day)}, 1},
		"confidence": {[]memory.Record{rec("a", false, .5, day), rec("b", false, .6, day.Add(1))}, 1},
		"oldest":     {[]memory.Record{rec("a", false, .5, day.Add(1)), rec("b", false, .5, day)}, 1},
		"id":         {[]memory.Record{rec("b", false, .5, day), rec("a", false, .5, day)}, 1},
	} {
		if got := memory.Survivor(c.records); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func FuzzMergeTexts(f *testing.F) {
	f.Add("Use tabs. No spaces.", "no spaces")
	f.Add("```\na", "b. C")
	f.Fuzz(func(t *testing.T, a, b string) {
		m := memory.MergeTexts(a, b)
		if len(m) > len(a)+len(b)+1 {
			t.Errorf("%q and %q grew to %q", a, b, m)
		}
	})
}
