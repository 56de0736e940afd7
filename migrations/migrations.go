// Package migrations holds the ledger's schema: numbered SQL files, each
// applied once and in order. A released file is never edited; a change of the
// schema is a new file.
package migrations

import "embed"

// FS holds the SQL files at its root, in goose's format.
//
//go:embed *.sql
var FS embed.FS
