package static

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// golden is one line of testdata/golden.jsonl: what the model's own trainer computed.
type golden struct {
	Text   string    `json:"text"`
	Words  []string  `json:"words"`
	IDs    []int32   `json:"ids"`
	Norm   float64   `json:"norm"`
	First8 []float32 `json:"first8"`
}

func load(tb testing.TB) *Model {
	tb.Helper()
	m, err := Load()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func readGolden(t *testing.T) []golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, g)
	}
	if len(all) < 10 {
		t.Fatalf("only %d golden lines", len(all))
	}
	return all
}

func TestGolden(t *testing.T) {
	t.Parallel()
	m := load(t)
	for _, g := range readGolden(t) {
		if got := Words(g.Text); !slices.Equal(got, g.Words) {
			t.Errorf("words of %q = %q, want %q", g.Text, got, g.Words)
		}
		if got := m.appendPieces(nil, g.Text); !slices.Equal(got, g.IDs) {
			t.Errorf("pieces of %q = %v, want %v", g.Text, got, g.IDs)
		}
		vector, n := m.EmbedCount(g.Text)
		if n != len(g.IDs) || len(vector) != Dimension {
			t.Errorf("%q: %d pieces and %d dimensions, want %d and %d", g.Text, n, len(vector), len(g.IDs), Dimension)
		}
		if math.Abs(length(vector)-g.Norm) > 1e-4 {
			t.Errorf("norm of %q = %v, want %v", g.Text, length(vector), g.Norm)
		}
		for i, want := range g.First8 {
			if math.Abs(float64(vector[i]-want)) > 1e-4 {
				t.Errorf("vector of %q: [%d] = %v, want %v", g.Text, i, vector[i], want)
			}
		}
	}
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func TestShippedConstants(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256(shippedModel)
	if got := hex.EncodeToString(sum[:]); got != Digest {
		t.Errorf("model file has digest %s, the constant says %s", got, Digest)
	}
	m := load(t)
	if m.Dimension() != Dimension || len(m.scales) != Rows {
		t.Errorf("model is [%d, %d], the constants say [%d, %d]", len(m.scales), m.Dimension(), Rows, Dimension)
	}
	if Size() != int64(len(shippedModel)) {
		t.Errorf("Size() = %d", Size())
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"HTTPServer":              {"http", "server"},
		"parseURLPath":            {"parse", "url", "path"},
		"ALLCAPS":                 {"allcaps"},
		"IDs":                     {"i", "ds"},
		"v2beta":                  {"v", "2", "beta"},
		"a_b-c.d":                 {"a", "b", "c", "d"},
		"ÉCOLE":                   {"ecole"},
		"bad\xffbyte":             {"bad", "byte"},
		" \t\n":                   nil,
		"tail1":                   {"tail", "1"},
		"1.32.1":                  {"1", "32", "1"},
		"cafe\u0301 and café.":    {"cafe", "and", "cafe"},
		"日本語 text":                {"日本語", "text"},
		"x" + "\u0660" + "\u4e00": {"x", "\u0660", "\u4e00"},
	} {
		if got := Words(text); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestUnknownTextIsZero(t *testing.T) {
	t.Parallel()
	m := load(t)
	for _, text := range []string{"", "   ", "…!?", "日志", "\xff\xfe"} {
		if v := m.Embed(text); len(v) != Dimension || length(v) != 0 {
			t.Errorf("Embed(%q) has length %v, want the zero vector", text, length(v))
		}
	}
}

// Properties that hold for any text: length 0 or 1, the same vector for the same text,
// and no notion of order.
func TestEmbedProperties(t *testing.T) {
	t.Parallel()
	m := load(t)
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.String(), 0, 6).Draw(rt, "parts")
		text := strings.Join(parts, " ")
		v := m.Embed(text)
		if l := length(v); l != 0 && math.Abs(l-1) > 1e-5 {
			rt.Fatalf("length %v", l)
		}
		slices.Reverse(parts)
		if !slices.Equal(v, m.Embed(strings.Join(parts, " "))) {
			rt.Fatal("order of words changed the vector")
		}
	})
}

func TestLongTextIsBounded(t *testing.T) {
	t.Parallel()
	m := load(t)
	long := strings.Repeat("x", 1<<20)
	if got, want := m.appendPieces(nil, long), m.appendPieces(nil, long[:maxWord]); !slices.Equal(got, want) {
		t.Errorf("a megabyte of x has %d pieces, its first %d characters %d", len(got), maxWord, len(want))
	}
	many := m.Embed(strings.Repeat("restart the worker ", 50_000))
	if math.Abs(length(many)-1) > 1e-5 {
		t.Errorf("length %v", length(many))
	}
}

func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{"how do I restart the worker", "HTTPServer2", "Ünïcode ﬁ", "\xff\x00", "İstanbul ẞ"} {
		f.Add(seed)
	}
	m := load(f)
	f.Fuzz(func(t *testing.T, text string) {
		v := m.Embed(text)
		if l := length(v); l != 0 && math.Abs(l-1) > 1e-5 {
			t.Fatalf("length %v", l)
		}
		for _, w := range Words(text) {
			if w != "" && !utf8.ValidString(w) {
				t.Fatalf("word %q is no UTF-8", w)
			}
		}
	})
}

// The two benchmarks report texts a second on one core.
func BenchmarkEmbed(b *testing.B) {
	texts := map[string]string{
		"short": "Restart it with `systemctl restart mneme-worker` after a deploy.",
		"long":  strings.Repeat("The worker writes the ledger before it indexes the vector, so HTTPServer restarts are safe. ", 40),
	}
	m := load(b)
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Embed(text)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		load(b)
	}
}
