package extract

import (
	"testing"
)

// What a person says about the work of the hour is no wish for good.
func TestTalkOfTheHour(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"I prefer the second one.",
		"I prefer your first suggestion.",
		"I prefer that approach over the other.",
		"I hate it when that happens.",
		"don't ever do that again",
		"avoid doing this again",
		"every time you do this it breaks",
		"in the future we may move to Kubernetes",
		"In this repo there is a bug in the parser that crashes on empty input.",
		"in this project the tests fail on main since yesterday",
		"In this project I want to add a dark mode toggle to the settings page.",
		"our policy is being rewritten",
		"remember that we talked about the cache yesterday",
		"fyi: CI is red again",
		"keep the commit small and push it",
		"Keep commits coming!",
		"keep your answer in JSON",
		"for the header we want a blue background",
		"No, put it in utils.go instead of main.go",
		"Stop, the server is still running on 8080",
		"We decided to rename the function to parseAll",
		"ok let's go with a map because it is faster",
		"let's use the new endpoint in the test because the old is slow",
		"we always get this error with the runner",
		"We never got an answer from the vendor about the API",
		"Make sure to always close the file in readAll().",
		"Every time you run the tests the port is taken, why is that?",
		"No, run it again with -v",
		"no use the staging database for now",
		"Actually can you revert it and use a map instead of a slice",
		"Let's use a map for the lookup instead",
		"Good. We'll keep working on the importer tomorrow because it is late",
		"Only change the tests, never the code, ok?",
	} {
		none(t, "> start", "I used a list in main.go.", "> "+said)
	}
	for _, said := range []string{
		"In this repo we name branches after the ticket.",
		"Use tabs for indentation in this repo.",
		"Every time you touch the proto files, run `make gen`.",
		"Keep answers short.",
		"I prefer `errors.Is` over comparing errors.",
		"Let's go with SQLite because we want a single file.",
		"let's go with redis because we need keys that expire",
	} {
		if got := Rules(talk("> start", "I used a list in main.go.", "> "+said), Options{}); len(got) != 1 {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

// A sentence about the fate of a problem gives no cause.
func TestReportsAreNoFindings(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"The reason I used `map` is that it is faster.",
		"The error was raised in `main.go` at line 12.",
		"It turns out the file `main.go` already has this function.",
		"The root cause analysis is in `docs/rca.md` for you.",
		"The issue was closed on GitHub in 2023.",
		"The issue was reported as #1234 in the golang/go repo.",
		"The fix was to rename the variable `x` to `y`.",
		"The fix was committed as `abc1234` on the branch.",
		"The problem was introduced in commit `abc1234` by Bob.",
		"I decided to use a `map` over a slice since lookups are frequent.",
		"I chose the name `parseAll` because it is consistent with `parseOne`.",
		"The timeout was set to 30 seconds in `config.yaml` to avoid hanging.",
		"The failure was expected: `TestX` is red until `y.go` is written.",
		"The leak was measured with `pprof` at 12 MB per minute.",
		"Worth noting: I did not run the tests in `pkg/b`.",
		"The error message was misleading in `cli.go`, I improved it.",
		"The crash was easy to reproduce with `go test -race`.",
		"The problem was solved in the previous commit `abc`.",
		"The actual problem is described in issue #42 of `repo`.",
		"The solution was implemented in three files of `pkg/a`.",
		"The problem is that I cannot access the network from `sandbox`.",
		"The problem was that the test I just wrote used the wrong `id`.",
		"The bug was in how I parsed `--flag` in my first attempt.",
		"The issue was my edit to `bar.go`, which left `foo` nil.",
		"The root cause is unknown: `core.go` never logs anything.",
		"It turns out that the user wants a new endpoint in `api.go`.",
		"Turns out you were right about `foo.go`.",
	} {
		none(t, "> do it", said)
	}
}
