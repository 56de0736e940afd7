package shell

import (
	"slices"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// keeps are tasks that change things but mend nothing: saving one's work, and
// trying.
var keeps = []string{
	"git add", "git commit", "git push", "git stash", "git fetch", "mkdir", "touch", "curl", "wget", "kill", "pkill", "go build", "go test", "go vet",
	"go run", "pytest", "npm test", "pnpm test", "yarn test", "cargo test", "cargo build", "cargo check", "cargo run", "make test", "gofmt", "go fmt",
}

var onlySelects = lexis.Lazy(`(?i)["']\s*(?:select [^()]* from|select [^()]*$|show|explain|\\d)`)

// Changes reports whether a command does more than look, try and save.
func Changes(command string) bool {
	if onlySelects.Match(command) {
		return false
	}
	return slices.ContainsFunc(Kinds(command), func(kind string) bool {
		return !ReadsOnly(kind) && !slices.Contains(keeps, kind)
	})
}
