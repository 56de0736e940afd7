package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// talk builds a session: "> words" are the person's, "$ command | output" a
// command that passed, "! command | output" one that failed, "+ file" an edit,
// "~ text" recalled; all else is the model's.
func talk(lines ...string) []transcript.Event {
	var out []transcript.Event
	for i, l := range lines {
		e := transcript.Event{Kind: transcript.Said, State: transcript.New, UUID: fmt.Sprintf("u%d", i), Time: time.Unix(int64(i), 0), Text: l}
		mark, rest, _ := strings.Cut(l, " ")
		switch mark {
		case ">":
			e.Kind, e.Text = transcript.Prompt, rest
		case "~":
			e.Kind, e.Text = transcript.Recalled, rest
		case "$", "!":
			command, output, _ := strings.Cut(rest, " | ")
			e.Kind, e.Text, e.Tool = transcript.Called, "", bash(command, output, mark == "!")
		case "+":
			input, _ := json.Marshal(map[string]string{"file_path": rest})
			e.Kind, e.Text, e.Tool = transcript.Called, "", &transcript.ToolCall{Name: "Edit", Input: input}
		}
		out = append(out, e)
	}
	return out
}

func bash(command, output string, failed bool) *transcript.ToolCall {
	input, _ := json.Marshal(map[string]string{"command": command})
	return &transcript.ToolCall{Name: "Bash", Input: input, Result: output, Failed: failed}
}

func one(t *testing.T, typ, want string, lines ...string) {
	t.Helper()
	got := Rules(talk(lines...), Options{})
	if len(got) != 1 || got[0].Type != typ || got[0].Text != want {
		t.Errorf("got %+v\nwant one %s: %s", got, typ, want)
	}
}

func none(t *testing.T, lines ...string) {
	t.Helper()
	for _, c := range Rules(talk(lines...), Options{}) {
		t.Errorf("unwanted %s (%s, %.2f): %s", c.Type, c.Rule, c.Score, c.Text)
	}
}

func TestWishes(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Always use tabs in the Makefiles of this repo.":                               "User preference: Always use tabs in the Makefiles of this repo.",
		"Fix the typo. From now on, sign your commits with `-s`.":                      "User preference: From now on, sign your commits with `-s`.",
		"I prefer early returns over nested ifs.":                                      "User preference: I prefer early returns over nested ifs.",
		"And please never log request bodies":                                          "User preference: Never log request bodies.",
		"Stop adding comments that repeat the code.":                                   "User preference: Stop adding comments that repeat the code.",
		"We don't mock the database in integration tests, use the container.":          "User preference: We don't mock the database in integration tests, use the container.",
		"Our convention is one migration per pull request.":                            "User preference: Our convention is one migration per pull request.",
		"Don't forget that the EU cluster has no GPU nodes.":                           "The EU cluster has no GPU nodes.",
		"FYI: billing-api is owned by the payments team":                               "Billing-api is owned by the payments team.",
		"Make sure to always run `make gen` after you touch the proto files, please.":  "User preference: Make sure to always run `make gen` after you touch the proto files.",
		"Going forward use ruff for formatting; please reformat the package with it.":  "User preference: Going forward use ruff for formatting.",
		"We use zod here, not joi, because the types come for free.":                   "User preference: We use zod here, not joi, because the types come for free.",
		"Here it is:\n\n```\nalways ignore this\n```\n\nNever deploy on Friday, ever.": "User preference: Never deploy on Friday, ever.",
	} {
		got := Rules(talk("> start", "I did it.", "> "+said), Options{})
		if len(got) != 1 || !strings.EqualFold(got[0].Text, want) {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

func TestNoWishes(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Should we always use UTC?",
		"Never mind.",
		"Never mind the failing test over there.",
		"The build always fails on Mondays, can you look?",
		"Always fails with the same error on my machine.",
		"never seen this before, what is it about?",
		"Don't touch that file for now.",
		"No.",
		"No, the other one.",
		"No, that's not what I meant, look again at the function above.",
		"Can you make sure to always validate the input in this function?",
		"Use the blue color this time instead of red.",
		"I'd prefer it if you could maybe use fewer lines.",
		"Please remember to run the tests.",
		"What if we never cached anything at all?",
		"> Always use tabs in this repo.",
		"no, still red",
		"ok thanks, always nice to see the tests pass",
		"Run the tests and fix what fails.",
		"Stop.",
		"Let's go with the second option.",
		"let's use that one because it's simpler",
		"[INFO] always retry the upload of each artifact\n[ERROR] never reached",
	} {
		none(t, "> start", "I did it.", "> "+said)
	}
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	one(t, memory.TypePreference, "User correction: Use bun (said after `npm install zod` was tried).",
		"> add zod", "$ npm install zod", "Added `zod`.", "> no, use bun")
	one(t, memory.TypePreference, "User correction: Use podman instead of docker on this machine.",
		"> build", "Building with docker.", "> nope, use podman instead of docker on this machine")
	one(t, memory.TypePreference, "User correction: The API listens on port 8443 in staging.",
		"> call it", "I called port 8080.", "> wrong, the API listens on port 8443 in staging")
	none(t, "> no, use bun for the packages") // nothing was said that it could correct
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	one(t, memory.TypeDecision, "Decision: We decided to keep REST for the public API because partners rely on it.",
		"> We decided to keep REST for the public API because partners rely on it.", "Noted.")
	one(t, memory.TypeDecision, "Decision: We chose `ulid` over UUIDv4 because the keys sort by time.",
		"> which ids?", "We chose `ulid` over UUIDv4 because the keys sort by time.", "> good")
	none(t, "> which ids?", "We chose `ulid` over UUIDv4 because the keys sort by time.", "> no, stay with UUIDs")
	none(t, "> which ids?", "I'd go with `ulid` because the keys sort by time. We could have chosen UUIDv7 instead of it.")
	none(t, "> which ids?", "We decided to do it.")
}

func TestLearnings(t *testing.T) {
	t.Parallel()
	one(t, memory.TypeLearning, "The root cause was a stale `node_modules` in the Docker layer cache.",
		"> why", "Found it: the root cause was a stale `node_modules` in the Docker layer cache.")
	one(t, memory.TypeLearning, "`viper` lowercases every key of the YAML file.",
		"> why", "So it turns out that `viper` lowercases every key of the YAML file.")
	one(t, memory.TypeLearning, "The proxy cuts responses after 30 seconds. That was caused by `proxy_read_timeout` in `nginx.conf`.",
		"> why", "The proxy cuts responses after 30 seconds. That was caused by `proxy_read_timeout` in `nginx.conf`.")
	for _, said := range []string{
		"The root cause might be the cache in `store.go`.",
		"I think the root cause is the cache in `store.go`.",
		"Is the root cause the cache in `store.go`?",
		"The root cause is not the cache in `store.go`.",
		"Let me check whether the problem was the cache in `store.go`.",
		"It turned out fine in the end, all of it.",
		"The fix is to clear the cache in `store.go`.", // unproven
		"The problem was that it was wrong somehow, in some way.",
		"According to the README the root cause was the cache in `store.go`.",
		"```\nThe root cause was the cache in store.go.\n```",
		"> The root cause was the cache in store.go, he wrote.",
		"    The root cause was the cache in store.go.",
		"| a | The root cause was the cache in store.go. |",
		"As I remembered, the root cause was the cache in `store.go`.",
		"If the root cause was the cache in `store.go`, the log shows it.",
	} {
		none(t, "> why", said)
	}
	none(t, "> why", "The root cause was the missing `WAL` setting in `db.go`.", "> no, that's not it")
	none(t, "~ - the root cause of the slow start was the missing WAL setting (db.go)", "> why", "The root cause of the slow start was the missing `WAL` setting in `db.go`.")
	none(t, "> why", "$ tail notes.txt | the root cause was the missing WAL setting in db.go", "The root cause was the missing `WAL` setting in `db.go`.")
}

func TestFixes(t *testing.T) {
	t.Parallel()
	one(t, memory.TypeError, "Error: `make proto` failed: protoc-gen-go: program not found or is not executable. Fix: run `go install google.golang.org/protobuf/cmd/protoc-gen-go@latest`.",
		"> generate", "! make proto | protoc-gen-go: program not found or is not executable\nmake: *** [proto] Error 1",
		"$ go install google.golang.org/protobuf/cmd/protoc-gen-go@latest", "$ make proto | ok", "Generated.")
	one(t, memory.TypeError, "Error: `make proto` failed: protoc: command not found. Fix: The compiler was not installed on this machine. Ran `apt-get install -y protobuf-compiler`.",
		"> generate", "! make proto | protoc: command not found", "$ apt-get install -y protobuf-compiler", "$ make proto", "Generated. The compiler was not installed on this machine.")
	none(t, "> test", "! go test ./... | dial tcp: i/o timeout", "$ go test ./... | ok")                                     // by itself
	none(t, "> test", "! go test ./... | x.go:3:1: undefined: foo", "+ x.go", "$ go test ./... | ok", "Done.")               // just being written
	none(t, "> test", "! go test ./... | x.go:3:1: undefined: foo", "+ x.go", "$ go build ./... | ok", "Done.")              // not tried again
	none(t, "> look", "! grep -r foo . | ", "+ x.go", "$ grep -r foo . | x.go")                                              // looking is not trying
	none(t, "> test", "! go test ./... | --- FAIL: TestA (0.0s)\n got 1, want 2", "+ x.go", "$ go test ./... | ok", "Done.") // no cause named
	none(t, "> test", "! make e2e | Error: connection refused", "+ x.go", "$ make e2e | --- FAIL: TestE\nFAIL\tx")           // hidden failure
}

// The first line of several is not what mended it, and what the client did not
// run did not fail.
func TestFixesThatAreNone(t *testing.T) {
	t.Parallel()
	events := talk("> generate", "! make proto | protoc: command not found", "$ x", "$ make proto | ok", "Done.")
	events[2].Tool = bash("cd tools\ncurl -O https://example.org/p.sh\nsh p.sh", "", false)
	if got := Rules(events, Options{}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	none(t, "> generate", "! make proto | Claude requested permissions to use Bash, but you haven't granted it yet.",
		"$ apt-get install -y protobuf-compiler", "$ make proto | ok", "Done.")
	none(t, "> generate", "! make proto | This command requires approval", "$ apt-get install -y protobuf-compiler", "$ make proto | ok", "Done.")
}

func TestEpisodesAreRare(t *testing.T) {
	t.Parallel()
	work := []string{"> move it", "+ a.go", "+ b.go", "$ go vet ./...", "$ go test ./... | ok", "+ c.go", "$ git push | ok"}
	one(t, memory.TypeEpisode, "Done: Migrated the mailer from SMTP to the `ses` API; all tests pass.", append(work, "Migrated the mailer from SMTP to the `ses` API; all tests pass.")...)
	none(t, "> move it", "+ a.go", "$ git push | ok", "Migrated the mailer from SMTP to the `ses` API; all tests pass.")
	none(t, append(work[:len(work)-1:len(work)-1], "Migrated the mailer from SMTP to the `ses` API; all tests pass.")...)
}

func TestProceduresNeedProof(t *testing.T) {
	t.Parallel()
	steps := "To rotate the signing key:\n\n1. Run `vaultctl keys new --kind sign`.\n2. Run `vaultctl keys promote latest`.\n3. Restart with `systemctl restart signer`."
	one(t, memory.TypeProcedure, "To rotate the signing key: (1) Run `vaultctl keys new --kind sign`; (2) Run `vaultctl keys promote latest`; (3) Restart with `systemctl restart signer`.",
		"> rotate", "$ vaultctl keys new --kind sign", "$ vaultctl keys promote latest", "$ systemctl restart signer", steps)
	none(t, "> how?", steps)
	none(t, "> rotate", "$ vaultctl keys new --kind sign", "$ vaultctl keys promote latest", "$ systemctl restart signer", "Next I'll do this, the plan "+steps)
	none(t, "> rotate", "$ vaultctl keys new --kind sign", "! vaultctl keys promote latest | no", steps)
}

// Earlier and Ahead events are evidence and never candidates; a subagent's words are nobody's.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, state := range []transcript.State{transcript.Earlier, transcript.Ahead} {
		events := talk("> Always use tabs in the Makefiles of this repo.", "The root cause was a stale `node_modules` folder.")
		for i := range events {
			events[i].State = state
		}
		if got := Rules(events, Options{}); len(got) > 0 {
			t.Errorf("%s: %+v", state, got)
		}
	}
	events := talk("> Always use tabs in the Makefiles of this repo.")
	events[0].Sidechain = true
	if got := Rules(events, Options{}); len(got) > 0 {
		t.Errorf("a subagent's prompt: %+v", got)
	}
	events = talk("> build", "! make | protoc: command not found", "$ apt-get install protobuf-compiler", "$ make | ok", "Done.")
	events[1].State, events[0].State = transcript.Earlier, transcript.Earlier
	if got := Rules(events, Options{}); len(got) != 1 || got[0].UUIDs[0] != "u1" {
		t.Errorf("a failure of an earlier step, mended in this one: %+v", got)
	}
}

func FuzzRules(f *testing.F) {
	f.Add("> Always use tabs.\n! make | error: x\n$ make\nThe fix was `a`.\n1. `a b`\n2. `c d`\n3. `e f`")
	f.Add("```\n~~~\n```\n> no, use `x` instead of y\n~ memory\n+ file")
	f.Fuzz(func(t *testing.T, text string) {
		got := Rules(talk(strings.Split(text, "\n")...), Options{})
		if len(got) > DefaultLimit {
			t.Errorf("%d candidates", len(got))
		}
		for _, c := range got {
			checkCandidate(t, c)
			if len(c.UUIDs) == 0 {
				t.Errorf("%+v", c)
			}
		}
	})
}
