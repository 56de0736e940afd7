// Package claudetest runs the real Claude Code client against a scripted model
// server, so that what mneme promises to its users is proven with the program
// they use.
//
// [Fetch] installs a version of the client from npm. A [Model] answers the
// client's requests from a [Script], on loopback, and keeps the request bodies:
// they are the only proof that a text reached the model. A [Sandbox] is a home
// folder of its own with an environment that holds nothing of the caller's; its
// Run plays one session. No account and no key are needed, and where the system
// allows it [Isolate] leaves the process nothing of the network but loopback.
//
// The tests of this package are the sessions; "make test-claude" runs them.
package claudetest
