package config

import (
	"strconv"
	"time"
)

// field is a place in a [Config] that a setting's text goes to and is shown
// from, in the manner of [flag.Value]. It is set only after the check.
type field interface {
	String() string
	set(v string)
}

type (
	text  string
	whole int
	share float64
	yesNo bool
	span  time.Duration
)

func (f *text) String() string  { return string(*f) }
func (f *whole) String() string { return strconv.Itoa(int(*f)) }
func (f *share) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }
func (f *yesNo) String() string { return strconv.FormatBool(bool(*f)) }

func (f *span) String() string { return time.Duration(*f).String() }

func (f *text) set(v string) { *f = text(v) }

func (f *whole) set(v string) {
	n, _ := strconv.Atoi(v) // checked before
	*f = whole(n)
}

func (f *share) set(v string) {
	n, _ := strconv.ParseFloat(v, 64) // checked before
	*f = share(n)
}

func (f *yesNo) set(v string) {
	is, _ := strconv.ParseBool(v) // checked before
	*f = yesNo(is)
}

func (f *span) set(v string) {
	d, _ := time.ParseDuration(v) // checked before
	*f = span(d)
}
