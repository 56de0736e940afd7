// Package page draws a report as one web page that needs nothing else: no
// script, no font, no picture and no network. It follows the reader's choice
// of a light or a dark screen.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/mneme-memory/mneme/analytics"
)

//go:embed page.tmpl
var source string

// Write writes the page of a report.
func Write(w io.Writer, r analytics.Report) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"percent": percent, "count": count, "noun": noun, "day": func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"minute": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" },
		"ms":     func(v float64) string { return fmt.Sprintf("%.1f", v) },
		"two":    func(v float64) string { return fmt.Sprintf("%.2f", v) },
		"text":   printable,
	}).Parse(source)
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	if err := t.Execute(w, view{Report: r, Charts: charts(r)}); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// view is what the template sees.
type view struct {
	analytics.Report
	Charts []chart
}

// charts are the plots of a report, in the order of the page.
func charts(r analytics.Report) []chart {
	rate := series{}
	for _, d := range r.HitRate {
		rate.add(d.Day, float64(d.Hits)/float64(max(d.Recalls, 1)), fmt.Sprintf("%s of %d %s", percent(d.Hits, d.Recalls), d.Recalls, noun(d.Recalls, "recall", "recalls")))
	}
	live := series{}
	for _, d := range r.Growth {
		live.add(d.Day, float64(d.Live), count(d.Live)+" "+noun(d.Live, "memory", "memories"))
	}
	mean := series{}
	for _, d := range r.MeanOverTime {
		mean.add(d.Day, d.Mean, fmt.Sprintf("%.2f", d.Mean))
	}
	spread, wait := bars{}, bars{}
	for _, b := range r.Confidence {
		spread.add(fmt.Sprintf("%.1f", b.From), float64(b.Memories), count(b.Memories)+" "+noun(b.Memories, "memory", "memories"))
	}
	for _, l := range r.Latency {
		wait.add(l.Action, l.P95, fmt.Sprintf("95 of 100 within %.1f ms, %d %s", l.P95, l.Calls, noun(l.Calls, "call", "calls")))
	}
	return []chart{
		rate.draw("Recalls that found something", "share of the day's recalls", 1, asPercent),
		live.draw("Memories", "live at the end of the day", 0, asCount),
		spread.draw("Confidence now", "live memories by confidence", asCount),
		mean.draw("Mean confidence", "of live memories, when a snapshot was taken", 1, asFraction),
		wait.draw("Waiting", "95th percentile in milliseconds, by action", asCount),
	}
}

func percent(part, all int64) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(all))
}

// count writes a number with a thin space at the thousands.
func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func noun(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// printable drops what is no visible text and shortens the rest.
func printable(s string) string {
	const most = 140
	clean := []rune(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }), " "))
	if len(clean) > most {
		return string(clean[:most-1]) + "…"
	}
	return string(clean)
}
