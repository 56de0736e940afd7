// Package cli is the command line: it turns arguments into requests for the
// workflows' client and answers into text or JSON.
//
// [Main] runs one command with a [System] (arguments, environment, streams)
// and [Deps] (how to reach or start the rest), so that a test runs a command
// in its own process. Each command is a file. What was asked for goes to
// stdout, all else to stderr; --json output is described in json.go; the exit
// codes are in exit.go and shown by "mneme help exit".
package cli
