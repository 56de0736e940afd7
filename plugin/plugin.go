// Package plugin holds the Claude Code plugin, so that "mneme install" can bring
// it along. The files beside this one are the plugin itself.
package plugin

import "embed"

// Files are the plugin's files, from its root.
//
//go:embed .claude-plugin .mcp.json README.md bin commands hooks skills
var Files embed.FS
