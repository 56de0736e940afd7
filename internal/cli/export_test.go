package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/internal/redact/redacttest"
	"github.com/mneme-memory/mneme/memory"
)

// randomMemory has random values in every field that an export writes.
func randomMemory(r *rand.Rand, now time.Time) memory.Details {
	at := func() time.Time {
		return now.Add(-time.Duration(r.Int64N(int64(9000 * time.Hour)))).Truncate(time.Microsecond)
	}
	maybe := func() *time.Time {
		if r.IntN(2) == 0 {
			return nil
		}
		t := at()
		return &t
	}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var words []string
	for range 1 + r.IntN(8) {
		words = append(words, pick([]string{"pump", "\"quoted\"", "<b>", "кот", "\\n", "line\nbreak", "\u2028", "zwölf", "{}", "tab\t."}))
	}
	text := "Fact " + strings.Join(words, " ") + "."
	tags, err := memory.CleanTags([]string{pick([]string{"a", "b"}), pick([]string{"c d", "ü"})})
	if err != nil {
		panic(err)
	}
	d := memory.Details{Memory: memory.Memory{
		ID: memory.NewID("random", "", fmt.Sprint(r.Uint64())), Text: text, Type: pick(memory.Types()), Collection: pick(memory.Collections()),
		Project: pick([]string{memory.Global, "github.com/acme/shop", "o'hara"}), Tags: tags, Confidence: r.Float64(),
		Importance: r.Float64(), Pinned: r.IntN(2) == 0, AccessCount: r.IntN(1000), CreatedAt: at(), LastAccessed: at(),
		ArrivedAt: at(), ExpiresAt: maybe(), Source: pick(memory.Sources()), SourceRef: pick([]string{"", "file:docs/ops.md#Deploy"}),
		ContentHash: memory.ContentHash(text), Model: "m", State: memory.Live,
	}, UpdatedAt: maybe(), DecayedAt: maybe(), Confirmations: r.IntN(9)}
	if r.IntN(2) == 0 {
		d.Session, d.Position = "sitting", 1+r.IntN(50)
	}
	for range r.IntN(3) {
		d.Links = append(d.Links, memory.Link{
			SourceID: d.ID, TargetID: memory.NewID("random", "", fmt.Sprint(r.Uint64())), Type: pick(memory.LinkTypes()), CreatedAt: at(),
		})
	}
	return d
}

// TestExportRoundTrip checks that what import makes of a line has every value that export wrote.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for seed := range uint64(500) {
		d := randomMemory(rand.New(rand.NewPCG(seed, 1)), now)
		line, err := json.Marshal(exportLine(d))
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseLine(line, memory.StoreInput{}, asIs{})
		if err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, line)
		}
		in, err := p.in.Clean()
		if err != nil {
			t.Fatal(err)
		}
		updated := in.Exported.Updated(*in.CreatedAt, now)
		back := memory.Details{
			Memory: in.Memory(now, "m"), UpdatedAt: &updated, DecayedAt: in.Exported.DecayedAt, Confirmations: in.Exported.Confirmations,
		}
		for _, k := range p.links {
			back.Links = append(back.Links, memory.Link{SourceID: k.Source.ID, TargetID: k.Target.ID, Type: k.Type, CreatedAt: *k.CreatedAt})
		}
		if diff := cmp.Diff(exportLine(d), exportLine(back)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if len(p.unknown) > 0 {
			t.Errorf("import does not know %v", p.unknown)
		}
	}
}

// TestExportHasTheKeysThatImportNames holds the lists of keys to what an export writes.
func TestExportHasTheKeysThatImportNames(t *testing.T) {
	t.Parallel()
	all := map[string]bool{}
	for seed := range uint64(50) {
		line, err := json.Marshal(exportLine(randomMemory(rand.New(rand.NewPCG(seed, 2)), time.Now())))
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		for key := range fields {
			all[key] = true
		}
	}
	want := map[string]bool{}
	for _, list := range [][]string{importKeys(), exportKeys(), exportOnlyKeys()} {
		for _, key := range list {
			want[key] = true
		}
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

// longer makes every secret long, as a mark of a redaction is.
type longer struct{}

func (longer) Redact(text string) (string, []string) {
	if !strings.Contains(text, "secret") {
		return text, nil
	}
	return strings.ReplaceAll(text, "secret", strings.Repeat("x", 300)), []string{"secret"}
}

// TestBadLines has lines that cannot be stored; --skip-bad leaves each of them out, and no other.
func TestBadLines(t *testing.T) {
	t.Parallel()
	const id = `"id": "00000000-0000-8000-8000-00000000000a", "confidence": 0.5`
	for name, line := range map[string]string{
		"confidence too high":    `{"text": "a", "id": "00000000-0000-8000-8000-00000000000a", "confidence": 1.5}`,
		"confidence of text":     `{"text": "a", "id": "00000000-0000-8000-8000-00000000000a", "confidence": "high"}`,
		"count below none":       `{"text": "a", ` + id + `, "access_count": -1}`,
		"date of no calendar":    `{"text": "a", ` + id + `, "updated_at": "soon"}`,
		"link without a kind":    `{"text": "a", ` + id + `, "links": [{"target_id": "00000000-0000-8000-8000-00000000000b"}]}`,
		"link to nowhere":        `{"text": "a", ` + id + `, "links": [{"target_id": "b", "link_type": "clarifies"}]}`,
		"links that are no list": `{"text": "a", ` + id + `, "links": 7}`,
		"source that is unknown": `{"text": "a", ` + id + `, "source": "moon"}`,
	} {
		if _, err := parseLine([]byte(line), memory.StoreInput{}, longer{}); err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.Contains(err.Error(), "cli.") || strings.Contains(err.Error(), "json:") {
			t.Errorf("%s: unclear: %v", name, err)
		}
	}
	for name, line := range map[string]string{
		"id of another program": `{"text": "a", "id": 7, "confidence": "high", "links": "none"}`,
		"id without the rest":   `{"text": "a", "id": "00000000-0000-8000-8000-00000000000a", "source": "moon"}`,
		"an old export":         `{"text": "a", ` + id + `, "access_count": 3, "last_accessed": "2025-01-01T00:00:00Z", "source": "cli", "content_hash": "x", "model": "m"}`,
	} {
		if _, err := parseLine([]byte(line), memory.StoreInput{}, longer{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// realRedactor redacts as the program does.
type realRedactor struct{ *redact.Redactor }

func (r realRedactor) Redact(text string) (string, []string) {
	result := r.Redactor.Redact(text)
	kinds := make([]string, len(result.Findings))
	for i, f := range result.Findings {
		kinds[i] = string(f.Kind)
	}
	return result.Text, kinds
}

// TestSecretsInNames has a file in which secrets of every kind stand in tags, projects, sessions and
// places. Each line is imported or named as bad; with --skip-bad what is sent is accepted by the
// servers, which redact again, and the line between two bad ones is sent too.
func TestSecretsInNames(t *testing.T) {
	t.Parallel()
	r, err := redact.New(redact.Options{Key: func() ([]byte, error) { return []byte("key of a test, of 32 bytes, yes!"), nil }})
	if err != nil {
		t.Fatal(err)
	}
	redactor, kinds, refused := realRedactor{r}, map[string]bool{}, 0
	for _, s := range redacttest.Secrets(3) {
		kinds[s.Kind] = true
		for field, line := range map[string]map[string]any{
			"tags": {"text": s.Sentence, "tags": []string{s.Value}}, "project": {"text": s.Sentence, "project": s.Value},
			"session": {"text": "It rained.", "session": s.Value}, "source_ref": {"text": "It rained.", "source_ref": "file:" + s.Value},
		} {
			data, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			p, err := parseLine(data, memory.StoreInput{Project: "p"}, redactor)
			if err != nil {
				refused++
				if _, plain := p.in.Clean(); plain == nil && p.in.Text != "" {
					t.Errorf("%s in %s: redaction made it invalid: %v", s.Kind, field, err)
				}
				continue
			}
			at, err := memory.Admit(redactor, p.in)
			if err == nil {
				_, err = memory.Admit(redactor, at) // the step that writes it redacts it again
			}
			if err != nil {
				t.Errorf("%s in %s: sent and refused: %v", s.Kind, field, err)
			}
		}
	}
	if len(kinds) < 200 || refused == 0 {
		t.Errorf("%d kinds, %d lines refused", len(kinds), refused)
	}
}

// TestSkipBadLeavesOutOneLine has a line that redaction makes invalid between two good ones.
func TestSkipBadLeavesOutOneLine(t *testing.T) {
	t.Parallel()
	server := newImportServer()
	s := newSession(t, server.client())
	s.deps.Redactor = func(config.Config, string) (memory.Redactor, error) { return longText{}, nil }
	s.stdin = `{"text": "One."}` + "\n" + `{"text": "A secret."}` + "\n" + `{"text": "Three."}` + "\n"
	if code, _, errs := s.run(t.Context(), "import", "-"); code != ExitUsage || !strings.Contains(errs, "stdin:2:") || len(server.ids) > 0 {
		t.Errorf("without the flag: exit %d, %s", code, errs)
	}
	s.stdin = `{"text": "One."}` + "\n" + `{"text": "A secret."}` + "\n" + `{"text": "Three."}` + "\n"
	code, out, errs := s.run(t.Context(), "import", "-", "--skip-bad")
	if code != 0 || !strings.Contains(out, "imported 2 memories; 1 bad line left out") || server.batches[0] != 2 {
		t.Errorf("with the flag: exit %d, %s %s", code, out, errs)
	}
}

// longText makes a text with a secret longer than a text may be.
type longText struct{}

func (longText) Redact(text string) (string, []string) {
	return strings.ReplaceAll(text, "secret", strings.Repeat("x", memory.MaxTextBytes)), nil
}
