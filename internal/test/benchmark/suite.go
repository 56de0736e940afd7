package main

import (
	"context"
	"fmt"
	"time"
)

// A Suite measures one subject.
type Suite struct {
	Name  string // one word, to choose it by
	About string // the subject, as a heading

	// Run measures. An error is for what could not be measured at all: a
	// budget that is missed is a row.
	Run func(ctx context.Context, env *Env) ([]Row, error)
}

// A Row is one line of the table. All but What may be empty.
type Row struct {
	What     string
	Measured string
	Beside   string  // the yardstick, and what it measured
	Ratio    float64 // of the two; zero for none
	Budget   string
	Met      Verdict
	N        int // measurements
}

// A Verdict says whether a budget is met.
type Verdict int

// The verdicts.
const (
	Open   Verdict = iota // there is no budget
	Met                   // this machine meets it
	Missed                // it does not
)

// verdict is Met if ok.
func verdict(ok bool) Verdict {
	if ok {
		return Met
	}
	return Missed
}

func (v Verdict) String() string { return [...]string{"", "yes", "no"}[v] }

// ratioRow compares durations: one with a yardstick, and their ratio with the
// most that it may be. With a budget of zero there is none.
func ratioRow(what string, measured time.Duration, beside string, yardstick time.Duration, most float64, n int) Row {
	r := Row{
		What: what, Measured: ms(measured), Beside: beside + " " + ms(yardstick),
		Ratio: float64(measured) / float64(yardstick), N: n,
	}
	if most > 0 {
		r.Budget, r.Met = fmt.Sprintf("≤ %g ×", most), verdict(r.Ratio <= most)
	}
	return r
}

// plainRow shows a distribution that is compared with nothing.
func plainRow(what string, d durations) Row {
	return Row{What: what, Measured: d.String(), N: len(d)}
}
