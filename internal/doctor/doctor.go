// Package doctor asks every part of mneme how it is now, and says what to do.
//
// There is one list of checks, [Options.Checks]: first of each part by itself, so that it is
// clear which one is at fault, then of the whole. A check is a small function; the checks of
// one part share a file. [Run] runs them for "mneme doctor". "mneme status" and "mneme up" ask
// the servers alone, all at once: see [Look].
//
// The package links no adapter. The adapters describe their servers in a
// [memory.Inspection].
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// The statuses of a [Result].
const (
	OK   = "ok"
	Warn = "warn" // works, and should be mended
	Fail = "fail"
	Skip = "skip" // not asked, because something that it needs failed or is not known here
)

// checkTimeout bounds one check. A model may have to be loaded for it.
const checkTimeout = 15 * time.Second

// Check is one question.
type Check struct {
	Name  string   // short, such as "Qdrant"
	Needs []string // names of earlier checks; when one of them fails, this is skipped

	// Run answers with what is worth knowing. An error says what is broken and carries a
	// hint; a [Warning] or a [Skipped] as error says that something is less than that.
	Run func(ctx context.Context) (detail string, err error)
}

// Warning is the error of a [Check] for what works but should be mended.
type Warning struct{ Err error }

// Error returns the cause's text.
func (w Warning) Error() string { return w.Err.Error() }

// Unwrap returns the cause.
func (w Warning) Unwrap() error { return w.Err }

// Skipped is the error of a [Check] that cannot be answered here. It says why.
type Skipped string

// Error returns why.
func (s Skipped) Error() string { return string(s) }

// Result is the answer to one check.
type Result struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, warn, fail or skip
	Detail string `json:"detail"`
	Hint   string `json:"hint"`

	// Err is why it failed; nil unless Status is Fail.
	Err error `json:"-"`
}

// Run asks the checks one after the other, and tells of each as soon as it is answered; tell
// may be nil. It ends early with the error of ctx.
func Run(ctx context.Context, checks []Check, tell func(Result) error) ([]Result, error) {
	results := make([]Result, 0, len(checks))
	failed := map[string]string{} // checks that did not succeed, and the one that is to blame
	for _, c := range checks {
		r := Result{Name: c.Name, Status: Skip}
		if i := slices.IndexFunc(c.Needs, func(name string) bool { return failed[name] != "" }); i >= 0 {
			failed[c.Name] = failed[c.Needs[i]]
			r.Detail = "not asked: first mend " + failed[c.Name]
		} else {
			r = run(ctx, c)
			if r.Status == Fail {
				failed[c.Name] = c.Name
			}
		}
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		results = append(results, r)
		if tell != nil {
			if err := tell(r); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

func run(ctx context.Context, c Check) Result {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	detail, err := c.Run(ctx)
	r := Result{Name: c.Name, Status: OK, Detail: detail}
	var warning Warning
	var skipped Skipped
	switch {
	case err == nil:
		return r
	case errors.As(err, &skipped):
		r.Status, r.Detail = Skip, string(skipped)
		return r
	case errors.As(err, &warning):
		r.Status, err = Warn, warning.Err
	default:
		r.Status, r.Err = Fail, err
	}
	if r.Hint = memory.HintOf(err); r.Hint == "" && r.Status == Fail {
		r.Hint = fmt.Sprintf(`see "mneme status" and the log in the data folder; what fails is the check of %s`, c.Name)
	}
	r.Detail = joined(detail, err.Error())
	return r
}

// joined puts the facts and the fault into one text.
func joined(detail, wrong string) string {
	if detail == "" {
		return wrong
	}
	return detail + ": " + wrong
}

// count returns "1 memory", "2 memories".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
