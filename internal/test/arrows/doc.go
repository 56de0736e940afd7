// Package arrows holds one test: which packages may import which. The rooms of
// the house and their arrows are drawn in docs/design.md; here they are a table
// of pairs that must not meet, each with its reason.
package arrows
