package cli

import (
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// parseDate reads a time as RFC 3339, with or without zone, or a date alone.
// Without a zone it is a time of loc.
func parseDate(s string, loc *time.Location) (time.Time, error) {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
	} {
		// Year 0 is a slip, and years before 1 or after 9999 cannot be written as RFC 3339.
		if t, err := time.ParseInLocation(layout, s, loc); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t, nil
		}
	}
	return time.Time{}, memory.Errorf(memory.Invalid, "write it like 2026-01-31 or 2026-01-31T18:30:00Z",
		"%q is not a date", oneLine(s, 60))
}

// dateFlag reads the value of a flag; empty means none.
func (a *app) dateFlag(name, value string) (*time.Time, error) {
	if value == "" {
		return nil, nil
	}
	t, err := parseDate(value, a.sys.location())
	if err != nil {
		return nil, &memory.Error{Code: memory.Invalid, Op: "--" + name, Hint: memory.HintOf(err), Err: err}
	}
	return &t, nil
}
