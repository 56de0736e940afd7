// Package rest is the REST API of mneme, below /api/v1: what the tools and the command line do, for
// other programs and for the page in the browser, through the same durable workflows.
//
// One table, in routes.go, says what there is: [New] serves it, and the OpenAPI description is made
// of it. A test holds every answer against the description. Errors are problem+json (RFC 9457) made
// of [memory.Error] values.
package rest
