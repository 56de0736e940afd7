package conversation_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// TestPartsAreTheText: a message in parts is the message.
func TestPartsAreTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"short", strings.Repeat("a line\n", 30_000), strings.Repeat("é", 100_000), strings.Repeat("x", conversation.MaxPartBytes)} {
		m := conversation.Message{ID: conversation.NewID("s", conversation.User, "u"), Text: text}
		parts := m.Parts()
		for i, p := range parts {
			if len(p.Text) > conversation.MaxPartBytes || p.Part != i || !utf8.ValidString(p.Text) {
				t.Errorf("part %d of %d has %d bytes", i, len(parts), len(p.Text))
			}
		}
		if whole := conversation.Join(parts); len(whole) != 1 || whole[0].Text != text {
			t.Errorf("%d bytes came back as %d messages", len(text), len(whole))
		}
	}
}

// FuzzPassages cuts any text: the passages stand in their order, are not too long, and together
// hold every word.
func FuzzPassages(f *testing.F) {
	f.Add("One. Two.\n\nThree.")
	f.Add(strings.Repeat("word ", 1000))
	f.Add(strings.Repeat("x", 5000) + "\xff\x00")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		runes, end := []rune(text), 0
		var words []string
		for _, p := range conversation.Passages(text) {
			if p.From < end || p.Runes < 1 || p.Runes > 1000 {
				t.Fatalf("passage %+v after %d", p, end)
			}
			end = p.From + p.Runes
			if got := strings.TrimSpace(string(runes[p.From:end])); got != p.Text || got == "" {
				t.Fatalf("%q is not %q", got, p.Text)
			}
			words = append(words, strings.Fields(p.Text)...)
		}
		if got, want := strings.Join(words, ""), strings.Join(strings.Fields(text), ""); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}

func TestPassagesEndWhereOneWould(t *testing.T) {
	t.Parallel()
	paragraph := strings.Repeat("These are some words. ", 25)
	got := conversation.Passages(paragraph + "\n\n" + paragraph)
	if len(got) != 2 || got[1].Text != strings.TrimSpace(paragraph) {
		t.Errorf("%d passages: %+v", len(got), got)
	}
}

type plain struct{}

func (plain) Redact(s string) (string, []string) { return s, nil }

// TestRankingByAge: of two messages that answer as well, the newer comes first; without recency
// age counts for nothing; and a bar is a bar.
func TestRankingByAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	cal := memory.CalibrationFor("mneme-static")
	property := func(seed uint64, strong bool) bool {
		r := rand.New(rand.NewPCG(seed, 1))
		var found []conversation.Found
		for n := range 12 {
			m := conversation.Message{
				ID: conversation.NewID("s", conversation.User, fmt.Sprint(n)), Project: "p", Session: "s", Role: conversation.User,
				At: now.Add(-time.Duration(r.IntN(1000)) * 24 * time.Hour), Text: fmt.Sprintf("message %d about ports", n),
			}
			c := conversation.Candidate{ID: m.ID, Cosine: r.Float64(), HasCosine: true, Keyword: 10 * r.Float64()}
			found = append(found, conversation.Found{Candidate: c, Said: m})
		}
		recency := 0.0
		if strong {
			recency = 1
		}
		q, err := conversation.Query{Text: "ports", Project: "p", Recency: &recency, MinScore: 0.05, Limit: 5}.Clean(plain{})
		if err != nil {
			return false
		}
		res := conversation.Rank(q, cal, found, now)
		for i, h := range res.Hits {
			if h.Score <= q.MinScore || i > 0 && !strong && h.Score > res.Hits[i-1].Score {
				return false
			}
			if i > 0 && h.Score > res.Hits[i-1].Score && !h.At.Before(res.Hits[i-1].At) {
				return false // newer and better, and behind
			}
		}
		return len(res.Hits) <= 5
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	over, none := 1.5, -1
	for name, q := range map[string]conversation.Query{
		"empty":    {Project: "p"},
		"limit":    {Text: "x", Limit: 51},
		"negative": {Text: "x", Limit: none},
		"score":    {Text: "x", MinScore: 2},
		"recency":  {Text: "x", Recency: &over},
		"role":     {Text: "x", Roles: []conversation.Role{"god"}},
		"long":     {Text: strings.Repeat("x", memory.MaxQueryBytes+1)},
		"project":  {Text: "x", Project: "a\nb"},
	} {
		if _, err := q.Clean(plain{}); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if q, err := (conversation.Query{Text: " x ", AllProjects: true, Project: "p"}).Clean(plain{}); err != nil || q.Project != "" || q.Text != "x" {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := (conversation.Filter{}).Clean(plain{}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a filter of everything: %v", err)
	}
	if _, err := (conversation.Place{Message: "x", Session: "y"}).Clean(plain{}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a place of two things: %v", err)
	}
	if _, err := (conversation.Listing{Limit: 1000}).Clean(plain{}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a long list: %v", err)
	}
}
