package config

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Words that stand in the place of a path.
const (
	Fetched = "fetched" // for [Postgres.Bin]: binaries that mneme fetched, never the machine's own
	None    = "none"    // for [Qdrant.Binary]: no program, but the embedded server
)

// daemonSpecs are the settings of what "mneme up" starts.
func daemonSpecs() []spec {
	return []spec{
		{
			name: "postgres.bin", env: "MNEME_POSTGRES_BIN", file: true,
			usage: "folder with initdb and postgres, or " + Fetched, check: checkPath(Fetched),
			get: func(c *Config) string { return c.Postgres.Bin }, set: func(c *Config, v string) { c.Postgres.Bin = v },
		},
		{
			name: "qdrant.binary", env: "MNEME_QDRANT_BINARY", file: true,
			usage: "qdrant program to run, or " + None, check: checkPath(None),
			get: func(c *Config) string { return c.Qdrant.Binary }, set: func(c *Config, v string) { c.Qdrant.Binary = v },
		},
		{
			name: "autostart", env: "MNEME_AUTOSTART", file: true, bare: true, def: "true",
			usage: "start mneme with Claude Code", check: checkBool,
			get: func(c *Config) string { return strconv.FormatBool(c.Autostart) },
			set: func(c *Config, v string) { c.Autostart, _ = strconv.ParseBool(v) }, // checked before
		},
	}
}

// checkPath wants an absolute path, because commands run in many folders, or a word.
func checkPath(word string) func(string) (string, string) {
	return func(v string) (string, string) {
		if v == word || filepath.IsAbs(v) && !strings.ContainsRune(v, 0) {
			return "", ""
		}
		return "is not an absolute path", "write a path from / on, or " + word
	}
}
