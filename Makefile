# mneme: "make" lists the targets.
GO      ?= go
BIN     := bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
LINT_VERSION := v2.12.0
GREMLINS_VERSION := v0.6.0
VULN_VERSION := v1.9.0
WORKFLOWCHECK_VERSION := v0.6.0

# DuckDB is C++, and the race detector wants a C compiler. Without one all the rest is
# built, and tested without the detector.
CXX_FOUND := $(firstword $(shell command -v c++ g++ clang++ 2>/dev/null))
export CGO_ENABLED ?= $(if $(CXX_FOUND),1,0)
RACE := $(if $(filter 1,$(CGO_ENABLED)),-race)

.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

build: ## build the binaries into bin/
	@mkdir -p $(BIN)
	@[ "$(CGO_ENABLED)" = 1 ] || echo 'no C++ compiler: mneme is built without DuckDB, so "mneme analytics" will not work (install g++ for it)'
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

up: build ## build, start mneme in the foreground and say when it is ready
	@exec $(BIN)/mneme up

# The slow suites mostly wait, for servers that restart and tasks that time out: one package
# more than there are cores uses what they leave.
PACKAGES := $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1)

# These compute in one goroutine: the race detector finds nothing there, and takes ten times as long.
LONE := /internal/(extract|extract/phrases|failure|keyword|test/evaluation|transcript)$$

test: ## run all tests, with the race detector where things happen at once
	$(GO) test -p $(PACKAGES) -count=1 -timeout 20m $$($(GO) list ./... | grep -E '$(LONE)')
	$(GO) test $(RACE) -p $(PACKAGES) -count=1 -timeout 20m $$($(GO) list ./... | grep -vE '$(LONE)')

# The packages whose tests start databases, Temporal servers or whole daemons.
SLOW := /analytics$$|/cmd/|/embedded/|/internal/(autostart|daemon|install|postgres|qdrant)$$|/internal/test/(benchmark|browser|claudetest|durability|endtoend|realtest)

check: lint vulncheck ## vet, lint, known weaknesses and the quick tests, for whoever has changed a line
	$(GO) test -short -timeout 5m $$($(GO) list ./... | grep -vE '$(SLOW)')

test-claude: build ## play sessions with the real Claude Code, fetched from npm
	MNEME_TEST_CLAUDE=1 $(GO) test -count=1 -timeout 12m -run 'TestClaudeCode' -v ./internal/test/claudetest

compose-check: ## hold deploy/compose.yaml to its rules, without Docker
	$(GO) test -count=1 ./internal/test/compose

test-real: .bin/ollama .bin/temporal-server .bin/temporal-sql-tool .bin/temporal-ui ## play against a real Ollama and Temporal server, built on the first call, and a real Qdrant if there is one
	MNEME_TEST_REAL=1 $(GO) test -count=1 -timeout 30m -v ./internal/test/realtest
	MNEME_TEST_REAL=1 $(GO) test -count=1 -timeout 30m -v ./internal/test/durability

.bin/ollama .bin/temporal-server .bin/temporal-sql-tool .bin/temporal-ui:
	GO='$(GO)' internal/test/realtest/build.sh $(notdir $@) $(CURDIR)/.bin

# KILLS and SEED are those of the run; the seed of a run stands in its log. The worker is compiled
# anew with a clock that can be moved, which takes some minutes.
KILLS ?= 1000
SEED  ?= 0
chaos: ## kill everything, anywhere, and look whether anything was lost; KILLS=10000 for a long run
	MNEME_TEST_CLOCK=1 $(GO) test -count=1 -timeout 24h -v -run 'TestChaos' ./internal/test/durability -kills $(KILLS) -seed $(SEED)

test-browser: ## use the console in a real browser (Chromium must be installed)
	MNEME_TEST_BROWSER=1 $(GO) test -count=1 -timeout 10m -v ./internal/test/browser

# A machine that is slow, or busy, fails nothing here.
bench: ## measure the budgets of the design; ARGS="recall store" for some
	@mkdir -p $(BIN)
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/mneme
	$(GO) run ./internal/test/benchmark -mneme $(BIN)/mneme -page docs/benchmarks.md $(ARGS)

eval: build ## measure recall on public data and play scenarios, through the product; ARGS="-sets nl2bash -scenarios=" for some
	$(GO) run ./internal/test/evaluation/product -mneme $(BIN)/mneme $(ARGS)

history: ## record histories of workflows that have a new scenario
	$(GO) test ./workflows -run TestRecordHistories -record -count=1 -timeout 20m

# The linter keeps what it found with the paths of the check-out that it was found
# in, so each check-out has its own cache.
lint: export GOLANGCI_LINT_CACHE = $(CURDIR)/.bin/lint-cache
lint: .bin/golangci-lint .bin/workflowcheck ## vet and lint; workflows only do what a replay does again
	$(GO) vet ./...
	.bin/golangci-lint run ./...
	.bin/workflowcheck -test=false -config .workflowcheck.yaml ./workflows/...

.bin/workflowcheck:
	GOBIN=$(CURDIR)/.bin $(GO) install go.temporal.io/sdk/contrib/tools/workflowcheck@$(WORKFLOWCHECK_VERSION)

# Without the list of known weaknesses, as behind a firewall, there is nothing to compare with.
GOVULNDB ?= https://vuln.go.dev
vulncheck: ## tell known weaknesses of what is imported, where the list of them can be reached
	@if curl -fsS --connect-timeout 3 --max-time 5 -o /dev/null '$(GOVULNDB)/index/db.json' 2>/dev/null; then \
		$(MAKE) --no-print-directory .bin/govulncheck && .bin/govulncheck -db '$(GOVULNDB)' ./...; \
	else \
		echo 'vulncheck skipped: $(GOVULNDB) cannot be reached (set GOVULNDB to a mirror of it)'; \
	fi

.bin/govulncheck:
	GOBIN=$(CURDIR)/.bin $(GO) install golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION)

# Each mutant is one changed line; one that lives is a line whose change no test of the package sees.
mutate: .bin/gremlins ## change memory line by line, and tell what its tests do not notice
	.bin/gremlins unleash --timeout-coefficient 20 ./memory

.bin/gremlins:
	GOBIN=$(CURDIR)/.bin $(GO) install github.com/go-gremlins/gremlins/cmd/gremlins@$(GREMLINS_VERSION)

.bin/golangci-lint:
	GOBIN=$(CURDIR)/.bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

release: ## archives, SBOMs, npm packages, formula and sums in dist/; ARGS="-version 1.2.3 -targets linux/amd64"
	$(GO) run ./internal/release/make $(ARGS)

# What compiles for other systems is found by compiling for them: too slow for the tests.
release-check: ## compile for macOS and linux/arm64, and install a release in all its ways
	internal/release/check.sh

.PHONY: release release-check help build up check test chaos test-claude test-browser test-real compose-check bench eval history mutate lint vulncheck
