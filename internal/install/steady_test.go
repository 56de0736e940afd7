package install

import "github.com/mneme-memory/mneme/internal/testkit/steady"

var _ = steady.Seed()
