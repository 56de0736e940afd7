package memory

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// whenHint says how a time is written, for the errors about one that is not understood.
const whenHint = `write it like 2026-01-31, 2026-01-31T18:30:00Z, 7d, "2 weeks ago", yesterday or "last week"`

// ParseWhen reads a moment as people write it: a date, a date and time, or a
// time relative to now. A day, a week (from Monday), a month and a year mean
// their beginning. Without a zone it is a time of loc.
func ParseWhen(s string, now time.Time, loc *time.Location) (time.Time, error) {
	if t, err := ParseDate(s, loc); err == nil {
		return t, nil
	}
	text := strings.ToLower(strings.Join(strings.Fields(s), " "))
	for _, read := range []func(string, time.Time) (time.Time, bool){namedDay, longAgo} {
		if t, ok := read(text, now.In(loc)); ok && canBeWritten(t) {
			return t, nil
		}
	}
	return time.Time{}, noDate(s)
}

func noDate(s string) error {
	return Errorf(Invalid, whenHint, "%q is not a date", clip(strings.Join(strings.Fields(s), " ")))
}

// canBeWritten refuses years before 1 and after 9999, which RFC 3339 does not
// have; year 0 is a slip.
func canBeWritten(t time.Time) bool { return t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 }

// ParseDate is [ParseWhen] without the times that are relative to now.
func ParseDate(s string, loc *time.Location) (time.Time, error) {
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
	} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(s), loc); err == nil && canBeWritten(t) {
			return t, nil
		}
	}
	return time.Time{}, noDate(s)
}

// namedDay reads today, yesterday, a day of the week and the like.
func namedDay(s string, now time.Time) (time.Time, bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	week := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	year := time.Date(now.Year(), time.January, 1, 0, 0, 0, 0, now.Location())
	switch s {
	case "now":
		return now, true
	case "today":
		return today, true
	case "yesterday":
		return today.AddDate(0, 0, -1), true
	case "this week":
		return week, true
	case "last week":
		return week.AddDate(0, 0, -7), true
	case "this month":
		return month, true
	case "last month":
		return month.AddDate(0, -1, 0), true
	case "this year":
		return year, true
	case "last year":
		return year.AddDate(-1, 0, 0), true
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.TrimPrefix(s, "last ") == strings.ToLower(d.String()) { // the one before today
			return today.AddDate(0, 0, -(int(today.Weekday())-int(d)+6)%7-1), true
		}
	}
	return time.Time{}, false
}

// durations are "7d", "2 weeks", "a month ago".
var durations = regexp.MustCompile(`^(\d{1,5}|an?) ?(` + strings.Join([]string{
	`h|hours?`,
	`d|days?`,
	`w|weeks?`,
	`mo|months?`,
	`y|years?`,
}, "|") + `)( ago)?$`)

func longAgo(s string, now time.Time) (time.Time, bool) {
	m := durations.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		n = 1 // "a week ago"
	}
	switch {
	case strings.HasPrefix(m[2], "h"):
		return now.Add(-time.Duration(n) * time.Hour), true
	case strings.HasPrefix(m[2], "d"):
		return now.AddDate(0, 0, -n), true
	case strings.HasPrefix(m[2], "w"):
		return now.AddDate(0, 0, -7*n), true
	case strings.HasPrefix(m[2], "mo"):
		return now.AddDate(0, -n, 0), true
	default:
		return now.AddDate(-n, 0, 0), true
	}
}
