# mneme: "make" lists the targets.
GO      ?= go
BIN     := bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
LINT_VERSION := v2.12.0

.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## build the binaries into bin/
	@mkdir -p $(BIN)
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

up: build ## build, start mneme in the foreground and say when it is ready
	@exec $(BIN)/mneme up

test: ## run all tests, with the race detector
	$(GO) test -race -count=1 -timeout 20m ./...

test-claude: build ## play sessions with the real Claude Code, fetched from npm
	MNEME_TEST_CLAUDE=1 $(GO) test -count=1 -timeout 12m -run 'TestClaudeCode' -v ./internal/claudetest

# A machine that is slow, or busy, fails nothing here.
bench: ## measure the budgets of the design; ARGS="recall store" for some
	@mkdir -p $(BIN)
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/mneme
	$(GO) run ./internal/benchmark -mneme $(BIN)/mneme -page docs/benchmarks.md $(ARGS)

eval: ## measure recall through the product on public data; ARGS="-sets nl2bash" for some
	@mkdir -p $(BIN)
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/mneme
	$(GO) run ./internal/evaluation/product -mneme $(BIN)/mneme $(ARGS)

history: ## record histories of workflows that have a new scenario
	$(GO) test ./workflows -run TestRecordHistories -record -count=1 -timeout 20m

# The linter keeps what it found with the paths of the check-out that it was found
# in, so each check-out has its own cache.
lint: export GOLANGCI_LINT_CACHE = $(CURDIR)/.bin/lint-cache
lint: .bin/golangci-lint ## vet and lint
	$(GO) vet ./...
	.bin/golangci-lint run ./...

.bin/golangci-lint:
	GOBIN=$(CURDIR)/.bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

.PHONY: help build up test test-claude bench eval history lint
