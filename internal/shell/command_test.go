package shell

import (
	"strings"
	"testing"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go test ./...": "go test",
		"cd api && FOO=1 go test -run TestX ./x 2>&1 | tail -5": "go test",
		"go vet ./... && go test ./...":                         "go vet|go test",
		"npm t":                                                 "npm test",
		"npm run test -- --watch=false":                         "npm test",
		"npm run build":                                         "npm run build",
		"npx jest a.test.js":                                    "jest",
		"python3 -m pytest tests":                               "pytest",
		"poetry run pytest -q":                                  "pytest",
		"python3 tools/gen.py --all":                            "python gen.py",
		"sudo apt-get install -y jq":                            "apt-get install",
		"timeout 60 make lint":                                  "make lint",
		"docker-compose up -d db":                               "docker compose up",
		"docker compose -f x.yml up":                            "docker compose x.yml",
		"./scripts/deploy.sh stage":                             "deploy.sh",
		"env -u X go build ./cmd/a":                             "go build",
		"cat log.txt | grep error":                              "grep",
		"cat dump.sql | psql shop":                              "psql",
		"git -C x status":                                       "git x",
		`echo "go test; rm -rf /" && cargo test`:                "cargo test",
		"go test ./... || true":                                 "go test",
		"cat <<'X' > f\ngo test\nX":                             "cat",
		"gh pr create --fill":                                   "gh pr create",
		"":                                                      "",
		"   ;;; && ":                                            "",
		`'unclosed quote`:                                       "unclosed quote",
		"go":                                                    "go",
		"(cd x && cargo build)":                                 "cargo build",
		"go run ./cmd/mneme up":                                 "go run mneme",
		"kubectl get pods":                                      "kubectl get",
		"FOO=bar":                                               "",
	} {
		if got := strings.Join(Kinds(command), "|"); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestSameKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"go test ./x", "go test ./...", true},
		{"GOFLAGS=-race go test ./x | tail", "cd y && go test ./x", true},
		{"go test ./x", "go build ./x", false},
		{"npm test", "pnpm test", false},
		{"npm run lint", "npm run build", false},
		{"pytest tests/a", "python -m pytest tests", true},
		{"go vet ./... && go test ./...", "go test ./...", false},
		{"go test ./...", "go vet ./... && go test ./...", true},
		{"make build", "make test", false},
		{"python a.py", "python b.py", false},
		{"", "", false},
		{"ls", "ls -la", true},
		{"echo hi", "go test", false},
	} {
		if got := SameKind(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %v", c.a, c.b, got)
		}
	}
}
