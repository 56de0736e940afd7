package memory

import (
	"fmt"
	"strconv"
	"strings"
)

// Inspection is what an adapter finds out about its server: how it is at that moment, and not
// how it was when something was started. An empty list of problems means that the server
// answers and does what mneme needs.
type Inspection struct {
	Version   string // of the server; empty if it did not tell
	Supported bool   // whether mneme works with that version; false if it is unknown

	Facts []string // worth knowing, such as "schema 2 of 2"

	// Model is the embedding model that the server has or keeps vectors of, and Dimension
	// the length of those vectors. Empty and 0 where they are unknown.
	Model     string
	Dimension int
	// Dimensions are those of all generations of an index, see [Generations].
	Dimensions []int
	// Replaced names the models in whose place "mneme reembed" put Model.
	Replaced []string

	// Ledger is the identity of the ledger that the server keeps, or whose index it keeps;
	// empty where it is unknown.
	Ledger string

	Problems []error // why the server cannot be used, each with a hint (see [HintOf])
	Warnings []error // what works and should be mended, each with a hint
}

// Learn notes the version that a server tells, and finds a problem in one that is older than
// the oldest that mneme works with.
func (i *Inspection) Learn(part, version, oldest string) {
	i.Version, i.Supported = version, !Older(version, oldest)
	if !i.Supported {
		i.Fail(Refusal(part, "upgrade it; docs/operating.md lists the versions that are supported",
			fmt.Errorf("version %s is not supported, %s or newer is needed", version, oldest)))
	}
}

// Fail adds a problem.
func (i *Inspection) Fail(err error) { i.Problems = append(i.Problems, err) }

// Warn adds a warning.
func (i *Inspection) Warn(err error) { i.Warnings = append(i.Warnings, err) }

// Tell adds a fact.
func (i *Inspection) Tell(format string, args ...any) {
	i.Facts = append(i.Facts, fmt.Sprintf(format, args...))
}

// Older reports whether a version, such as "v1.17.1" or "15.8 (Debian)", is known to come
// before another one. Numbers are compared as far as both have them; a version that cannot be
// read counts as new enough.
func Older(version, than string) bool {
	a, b := numbers(version), numbers(than)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// numbers are the leading numbers of a version.
func numbers(version string) []int {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), " ")
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 0 {
			digits = len(part)
		}
		n, err := strconv.Atoi(part[:digits])
		if err != nil {
			break
		}
		out = append(out, n)
		if digits < len(part) { // such as "0-rc1"
			break
		}
	}
	return out
}
