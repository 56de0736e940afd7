package hook

import "github.com/mneme-memory/mneme/internal/testkit/steady"

var _ = steady.Seed()
