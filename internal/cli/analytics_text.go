package cli

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/analytics"
)

// printReport prints a report for a terminal: figures, small charts, lists.
func (a *app) printReport(r analytics.Report) error {
	p := a.paint()
	about := "all projects"
	if r.Project != "" {
		about = "project " + printable(r.Project)
	}
	t := r.Totals
	lines := []string{
		p.bold("Does the memory help?") + p.faint(fmt.Sprintf("  %s, the last %d days", about, r.Days)),
		"",
		fmt.Sprintf("recalls     %s found something (%d of %d)  %s", share(t.Hits, t.Recalls), t.Hits, t.Recalls, hitLine(r.HitRate)),
		fmt.Sprintf("sessions    %s had a hit (%d of %d)", share(t.SessionsWithHit, t.Sessions), t.SessionsWithHit, t.Sessions),
		fmt.Sprintf("memories    %d in %s, %d never used  %s", t.Live, plural(int(t.Projects), "project", "projects"), t.NeverUsed, growthLine(r.Growth)),
		fmt.Sprintf("confidence  %s", confidenceLine(r.Confidence)),
		fmt.Sprintf("duplicates  %d avoided", t.DuplicatesAvoided),
		fmt.Sprintf("injected    %s, %s, %.0f a memory",
			plural(int(t.Injections), "time", "times"), plural(int(t.Tokens), "token", "tokens"), t.TokensPerHit),
		fmt.Sprintf("fixes       %s stayed away after a recalled fix, %d came back", plural(int(t.FixesHelped), "error", "errors"), t.FixesFailed),
	}
	if err := a.printf("%s\n", strings.Join(lines, "\n")); err != nil {
		return err
	}
	for _, section := range a.reportTables(r) {
		if len(section.rows) < 2 { // only the head
			continue
		}
		if err := a.printf("\n%s\n", p.bold(section.title)); err != nil {
			return err
		}
		if err := table(a.sys.Stdout, section.rows); err != nil {
			return err
		}
	}
	return nil
}

// section is one table of a report, its head included.
type section struct {
	title string
	rows  [][]string
}

func (a *app) reportTables(r analytics.Report) []section {
	room := a.sys.width() - 30
	name := func(id, text string) string {
		if text == "" {
			return id
		}
		return oneLine(text, room)
	}
	doors := section{"Recalls by way in", [][]string{{"ASKED BY", "RECALLS", "HITS", "RATE"}}}
	for _, s := range r.Sources {
		doors.rows = append(doors.rows, []string{orText(s.Source, "–"), fmt.Sprint(s.Recalls), fmt.Sprint(s.Hits), share(s.Hits, s.Recalls)})
	}
	used := section{"Used most", [][]string{{"RECALLED", "CONFIDENCE", "MEMORY"}}}
	for _, m := range r.MostUsed {
		used.rows = append(used.rows, []string{fmt.Sprint(m.Uses), fmt.Sprintf("%.2f", m.Confidence), name(m.ID, m.Text)})
	}
	dead := section{"Shown, never used (\"mneme review\" suggests them)", [][]string{{"SHOWN", "TOKENS", "MEMORY"}}}
	for _, m := range r.DeadWeight {
		dead.rows = append(dead.rows, []string{fmt.Sprint(m.Injected), fmt.Sprintf("%.0f", m.Tokens), name(m.ID, m.Text)})
	}
	nearly := section{"Nearly pruned", [][]string{{"CONFIDENCE", "LAST USED", "MEMORY"}}}
	for _, m := range r.NearlyPruned {
		nearly.rows = append(nearly.rows, []string{fmt.Sprintf("%.2f", m.Confidence), a.date(m.LastAccessed), name(m.ID, m.Text)})
	}
	runs := section{"Organize runs", [][]string{{"STARTED", "MERGED", "PRUNED", "PROMOTED", "EXPIRED", "DECAYED", "UNDONE"}}}
	for _, o := range r.Organize {
		row := []string{a.date(o.StartedAt)}
		for _, n := range []int64{o.Merged, o.Pruned, o.Promoted, o.Expired, o.Decayed, o.Undone} {
			row = append(row, fmt.Sprint(n))
		}
		runs.rows = append(runs.rows, row)
	}
	waits := section{"Waiting, in milliseconds", [][]string{{"ACTION", "CALLS", "P50", "P95", "P99"}}}
	for _, l := range r.Latency {
		waits.rows = append(waits.rows, []string{l.Action, fmt.Sprint(l.Calls), fmt.Sprintf("%.1f", l.P50), fmt.Sprintf("%.1f", l.P95), fmt.Sprintf("%.1f", l.P99)})
	}
	out := section{"Taken out before it was stored", [][]string{{"KIND", "TIMES"}}}
	for _, n := range r.Redactions {
		out.rows = append(out.rows, []string{n.Name, fmt.Sprint(n.Count)})
	}
	return []section{doors, used, dead, nearly, runs, waits, out}
}

func share(part, all int64) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(all))
}

// hitLine, growthLine and confidenceLine draw what a report says over time.
func hitLine(days []analytics.DayRate) string {
	values := make([]float64, len(days))
	for i, d := range days {
		values[i] = float64(d.Hits) / float64(max(d.Recalls, 1))
	}
	return spark(values, 1)
}

func growthLine(days []analytics.DayCount) string {
	values := make([]float64, len(days))
	for i, d := range days {
		values[i] = float64(d.Live)
	}
	return spark(values, 0)
}

func confidenceLine(buckets []analytics.Bucket) string {
	values := make([]float64, len(buckets))
	for i, b := range buckets {
		values[i] = float64(b.Memories)
	}
	return "0 " + spark(values, 0) + " 1"
}

// spark draws values as one line of bars, the newest 40 of them. A top of 0
// is taken from the values.
func spark(values []float64, most float64) string {
	const widest = 40
	levels := []rune("▁▂▃▄▅▆▇█")
	values = values[max(0, len(values)-widest):]
	for _, v := range values {
		most = max(most, v)
	}
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = ' '
		if most > 0 && v > 0 {
			line[i] = levels[min(int(v/most*float64(len(levels))), len(levels)-1)]
		}
	}
	return string(line)
}
