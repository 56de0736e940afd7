// Package arrows holds one test: which package may know which other. The
// rooms of the house and their arrows are drawn in docs/design.md; here they
// are a table of pairs that must not meet, each with its reason.
package arrows
