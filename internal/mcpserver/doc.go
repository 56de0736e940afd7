// Package mcpserver is the door through which Claude Code reaches mneme: an
// MCP server over stdio or streamable HTTP. It checks arguments, calls the
// workflows client and shapes answers; it does no remembering itself.
//
// Claude Code does not check arguments against a tool's schema and drops the
// text part of a result that has structured content. So every argument is
// checked here, from the same table that the schema is made of, and the
// structured part of every answer is complete and small. What the model can
// mend is a result with isError and a text that says how.
package mcpserver
