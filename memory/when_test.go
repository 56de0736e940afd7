package memory_test

import (
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestParseWhen(t *testing.T) {
	t.Parallel()
	loc := time.FixedZone("here", 2*3600)
	now := time.Date(2026, 3, 4, 15, 30, 0, 0, loc) // a Wednesday
	for s, want := range map[string]string{
		"2026-01-31":                "2026-01-31T00:00:00+02:00",
		"2026-01-31T18:30:00Z":      "2026-01-31T18:30:00Z",
		" 2026-01-31 18:30 ":        "2026-01-31T18:30:00+02:00",
		"2026-01-31 18:30:00+01:00": "2026-01-31T18:30:00+01:00",
		"now":                       "2026-03-04T15:30:00+02:00",
		"Today":                     "2026-03-04T00:00:00+02:00",
		"yesterday":                 "2026-03-03T00:00:00+02:00",
		"this week":                 "2026-03-02T00:00:00+02:00",
		"last  week":                "2026-02-23T00:00:00+02:00",
		"last month":                "2026-02-01T00:00:00+02:00",
		"this month":                "2026-03-01T00:00:00+02:00",
		"last year":                 "2025-01-01T00:00:00+02:00",
		"this year":                 "2026-01-01T00:00:00+02:00",
		"monday":                    "2026-03-02T00:00:00+02:00",
		"Wednesday":                 "2026-02-25T00:00:00+02:00",
		"last thursday":             "2026-02-26T00:00:00+02:00",
		"6h":                        "2026-03-04T09:30:00+02:00",
		"7d":                        "2026-02-25T15:30:00+02:00",
		"2w":                        "2026-02-18T15:30:00+02:00",
		"3mo":                       "2025-12-04T15:30:00+02:00",
		"1y":                        "2025-03-04T15:30:00+02:00",
		"2 weeks ago":               "2026-02-18T15:30:00+02:00",
		"a day ago":                 "2026-03-03T15:30:00+02:00",
		"an hour":                   "2026-03-04T14:30:00+02:00",
	} {
		wanted, err := time.Parse(time.RFC3339, want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := memory.ParseWhen(s, now, loc); err != nil || !got.Equal(wanted) {
			t.Errorf("%q is %v, want %v; %v", s, got, want, err)
		}
	}
	for _, s := range []string{"", "2026-02-30", "0000-01-01", "soon", "5", "7x", "7m", "-7d", "next week", "99999y", "day"} {
		if got, err := memory.ParseWhen(s, now, loc); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
			t.Errorf("%q is taken for %v, %v", s, got, err)
		}
	}
}

// FuzzParseWhen checks that every parsed time can be written, and that no relative time lies
// ahead.
func FuzzParseWhen(f *testing.F) {
	for _, seed := range []string{"7d", "last week", "2026-01-31", "a month ago", "99999 days", "\x00"} {
		f.Add(seed)
	}
	now := time.Date(2026, 3, 4, 15, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := memory.ParseWhen(s, now, time.UTC)
		if err != nil {
			return
		}
		if _, err := got.MarshalText(); err != nil {
			t.Fatalf("%q is %v, which cannot be written: %v", s, got, err)
		}
	})
}
