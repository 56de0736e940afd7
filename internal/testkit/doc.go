// Package testkit holds what the tests of several packages share. Nothing but
// tests may import it. What needs a server is here; what needs none has small
// packages of its own below, which the tests of the servers import too.
package testkit
