package extract

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// after is a session that was shown some memories.
func after(memories ...string) *session { return newSession(nil, memories) }

// What repeats a shown memory, in its words or nearly so, is an echo.
func TestEchoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ shown, said string }{
		{"The API listens on port 5432.", "The API listens on port 5432."},
		{"The API listens on port 5432.", "The api now listens on port 5432, as it should."},
		{"The API listens on port 5432.", "The root cause was that the API listens on :5432."},
		{"The API listens on port 5432.", "The API listens on `localhost:5432`."},
		{"The API of the shop listens on port 5432 (see config.toml).", "The API listens on port 5432, see ~/.shop/config.toml."},
		{"Requests time out after 30 seconds in the gateway.", "Requests time out after 30s in the gateway."},
		{"The Postgres server refuses connections from the office.", "The PostgreSQL server refuses connections from the office."},
		{"Never force-push to the main branch.", "Do not force push to the main branch, ever."},
		{"Use podman instead of docker on this machine.", "Use podman, not docker, on this machine."},
		{"Don't deploy the shop on Friday.", "Never deploy the shop on Friday."},
		{"The build needs Go 1.25.3 on the runners.", "The build needs Go 1.25 on the runners."},
		{"Retry 3 times with a backoff of 200ms when the gateway answers 502.", "Retry with a backoff when the gateway answers 502, as I did in 12 places."},
		{"The cache was stale in the Docker layer.", "The cache was outdated in the Docker layer."},
		{"Prefer early returns over nested ifs in handlers.", "User preference: Prefer early returns over nested ifs in handlers."},
		{"- [fact] The API listens on port 8080 (id 6ba7b810-9dad-11d1-80b4-00c04fd430c8)", "The API listens on port 8080."},
	} {
		if !after(c.shown).recalled(c.said, false) {
			t.Errorf("after %q was shown, %q is news", c.shown, c.said)
		}
	}
}

// What says another number, version, path, name or the opposite is a fact of its own.
func TestOtherValuesAreNoEchoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ shown, said string }{
		{"The API port of the shop is 5432.", "The API port of the shop is 5433 now."},
		{"The API port of the shop is 5432 (staging, see config.yaml).", "The API port of the shop is 5433."},
		{"Requests time out after 30 seconds in the gateway.", "Requests time out after 60 seconds in the gateway."},
		{"Requests time out after 30 seconds in the gateway.", "Requests to the gateway time out after 60 seconds, no longer after 30 seconds."},
		{"Requests time out after 5 seconds in the gateway.", "Requests time out after 5 minutes in the gateway."},
		{"The build needs Go 1.25 on the runners.", "The build needs Go 1.26 on the runners."},
		{"The build needs Go v1.25.1 on the runners.", "The build needs Go v1.25.4 on the runners."},
		{"The config file of the server is /etc/mneme/old.toml.", "The config of the server lives in /etc/mneme/new.toml."},
		{"The migrations of the shop live in db/migrate.", "The migrations of the shop live in `db/changes`."},
		{"Run the tests of the parser with -race.", "Run the tests of the parser with -short."},
		{"Alice reviews changes of the parser.", "Bob reviews changes of the parser."},
		{"Changes of the parser are reviewed by Alice.", "Changes of the parser are reviewed by Bob."},
		{"Staging runs on host db1.", "Production runs on host db1."},
		{"The queue of the shop is on SQS.", "The queue of the shop is on RabbitMQ."},
		{"We install the packages with `pnpm` in CI.", "We install the packages with `yarn` in CI."},
		{"The gateway retries failed requests.", "The gateway does not retry failed requests."},
		{"The workers can't read the bucket.", "The workers can read the bucket now."},
		{"We mock the database in tests.", "We no longer mock the database in tests."},
		{"`maxRetries` of the client must be 3.", "`minRetries` of the client must be 3."},
	} {
		s := after(c.shown)
		if !after(c.shown).recalled(c.shown, false) {
			t.Errorf("%q is no echo of itself", c.shown)
		}
		if s.recalled(c.said, false) {
			t.Errorf("after %q was shown, %q is an echo", c.shown, c.said)
		}
	}
}

// A value that another shown memory says belongs to that memory, unless it is
// said of something else.
func TestEchoesOfSeveral(t *testing.T) {
	t.Parallel()
	s := after("The API listens on port 8080.", "Redis listens on port 6379.", "Staging runs on host db1.", "Production runs on host db2.")
	for _, said := range []string{
		"The API listens on port 8080 and Redis listens on port 6379.",
		"Redis listens on port 6379. The API listens on port 8080.",
		"Staging runs on host db1, Production runs on host db2.",
	} {
		if !s.recalled(said, false) {
			t.Errorf("%q is news", said)
		}
	}
	for _, said := range []string{"Staging runs on host db2.", "The API listens on port 9090 and Redis listens on port 6379."} {
		if s.recalled(said, false) {
			t.Errorf("%q is an echo", said)
		}
	}
}

// The person's own sentence is news when one word of it was replaced; the
// model's sentence may only paraphrase the shown text.
func TestThePersonReplacesAWord(t *testing.T) {
	t.Parallel()
	s := after("Indent the templates with tabs.")
	if s.recalled("User preference: Indent the templates with spaces.", true) {
		t.Error("the person's other wish is an echo")
	}
	if !s.recalled("Indent the templates with spaces.", false) {
		t.Error("the model's other word is news")
	}
	if !s.recalled("Please indent the templates with tabs.", true) {
		t.Error("the person's same wish is news")
	}
}

// Many memories in one line of JSON are many: words of all of them together
// are no echo of any.
func TestAnswersInJSONAreTakenApart(t *testing.T) {
	t.Parallel()
	list := []string{"The nightly import needs the lock file.", "The parser was rewritten by hand.", "Uploads go to the bucket in Frankfurt."}
	var hits []map[string]any
	for _, text := range list {
		hits = append(hits, map[string]any{"id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "text": text, "similarity": 0.9})
	}
	answer, err := json.Marshal(map[string]any{"results": hits})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := json.Marshal(map[string]any{"hookSpecificOutput": map[string]any{"additionalContext": "Notes\n- " + strings.Join(list, "\n- ")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(answer), string(inner)} {
		s := after(text)
		for _, said := range list {
			if !s.recalled(said, false) {
				t.Errorf("%q is news", said)
			}
		}
		if said := "The parser needs the bucket for uploads of the nightly lock."; s.recalled(said, false) {
			t.Errorf("%q is an echo", said)
		}
	}
}

func TestAnotherValueIsRemembered(t *testing.T) {
	t.Parallel()
	said := "The root cause was that the `gateway` closes idle connections after 11 seconds."
	shown := "~ - the root cause was that the gateway closes idle connections after "
	none(t, shown+"11 seconds", "> why", said)
	one(t, "learning", said, shown+"30 seconds", "> why", said)
	none(t, "~ - The port is 5432", "> ports", "ok", "> remember that the port is 5432")
	one(t, "fact", "The port is 5433 now.", "~ - The port is 5432", "> ports", "ok", "> remember that the port is 5433 now")
	none(t, "~ - Always use pnpm in the web folder", "> start", "I did it.", "> Always use pnpm in the web folder.")
	one(t, "preference", "User preference: Always use yarn in the web folder.",
		"~ - Always use pnpm in the web folder", "> start", "I did it.", "> Always use yarn in the web folder.")
}

// template is a fact with a place for a value.
type template struct {
	before, after string
	values        []string
}

var templates = []template{
	{"The API of the billing service listens on port ", " behind the proxy.", []string{"5432", "5433", "8080", "9000"}},
	{"Requests to the ledger time out after ", " seconds under load.", []string{"5", "30", "60", "90"}},
	{"The image of the runner ships glibc ", " without getentropy.", []string{"2.28", "2.31", "v2.35"}},
	{"The service reads its settings from ", " at the start.", []string{"/etc/shop/a1.toml", "~/.shop/b2.yaml", "config/c3.json"}},
	{"The invoices are numbered by ", " before they are printed.", []string{"`numberAll`", "`next_number`", "`Sequencer`"}},
	{"Releases of the mobile client are signed by ", " on the build host.", []string{"Alice", "Bob", "Chandra"}},
}

// Whatever is around it and however it is set, a shown memory stays an echo,
// alone or with others; with another value in it, it is a fact.
func TestEchoesHoldForAnyValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "order")
		order = order[:rapid.IntRange(1, len(order)).Draw(t, "shown")]
		var shown []string
		for _, i := range order {
			f := templates[i]
			shown = append(shown, f.before+rapid.SampledFrom(f.values).Draw(t, "value")+f.after)
		}
		frame := rapid.SampledFrom([]func(string) string{
			func(s string) string { return s },
			func(s string) string { return "- [learning] " + s + " (id 6ba7b810-9dad-11d1-80b4-00c04fd430c8)" },
			func(s string) string { return "[0.91] " + s },
		}).Draw(t, "frame")
		var lines []string
		for _, one := range shown {
			lines = append(lines, frame(one))
		}
		s := after(strings.Join(lines, "\n"))
		set := rapid.SampledFrom([]func(string) string{
			func(s string) string { return s },
			strings.ToLower,
			func(s string) string { return strings.TrimSuffix(s, ".") + "!" },
			func(s string) string { return strings.ReplaceAll(s, "The ", "our ") },
			func(s string) string { return "So it turns out that " + s },
			func(s string) string { return strings.ReplaceAll(s, "`", "") },
		}).Draw(t, "setting")
		own := rapid.Bool().Draw(t, "own")
		if said := set(shown[0]); !s.recalled(said, own) {
			t.Fatalf("%q is news after %q", said, lines)
		}
		if said := strings.Join(shown, " "); !s.recalled(said, own) {
			t.Fatalf("%q is news after %q", said, lines)
		}
		f := templates[order[0]]
		other := rapid.SampledFrom(f.values).Filter(func(v string) bool { return !strings.Contains(shown[0], " "+v+" ") }).Draw(t, "other")
		if said := f.before + other + f.after; s.recalled(said, own) {
			t.Fatalf("%q is an echo of %q", said, lines)
		}
	})
}

func FuzzEchoes(f *testing.F) {
	f.Add("The API listens on port 5432.", "The API listens on port 5433.")
	f.Add(`{"results":[{"text":"a b c d"}]}`, "a b c d.")
	f.Add("[[[[\n- [x] (id 00000000)", "`")
	f.Fuzz(func(t *testing.T, shown, said string) {
		s := newSession([]transcript.Event{{Kind: transcript.Recalled, Text: shown}}, nil)
		s.recalled(said, true)
		if len(lexis.Set(said)) >= 3 && !strings.ContainsAny(said, "\n{[(") && !after(said).recalled(said, true) {
			t.Errorf("%q is no echo of itself", said)
		}
	})
}
