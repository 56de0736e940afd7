// Package health is what "mneme-worker health" and "mneme-mcp health" answer: whether a process that
// serves can do its work now. Compose and Kubernetes ask it in the container; a person may as well.
package health

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mneme-memory/mneme/memory"
)

// The exit codes. Docker takes 0 for healthy and 1 for not, and keeps 2 for itself.
const (
	Healthy   = 0
	Unhealthy = 1
	Wrong     = 2 // the command was called wrongly, or a setting is wrong
)

// Part is the result of one check of health, such as whether Temporal answers.
type Part struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"`           // without it the process is not healthy
	Detail string `json:"detail,omitempty"` // what it said
	Error  string `json:"error,omitempty"`
	Hint   string `json:"hint,omitempty"` // what to do
}

// Report is the answer.
type Report struct {
	Healthy bool   `json:"healthy"` // every part that is needed is well
	Parts   []Part `json:"parts"`
}

// New returns a report without parts, which is healthy.
func New() *Report { return &Report{Healthy: true, Parts: []Part{}} }

// Needs adds a part without which the process is not healthy.
func (r *Report) Needs(name, detail string, err error) {
	r.add(Part{Name: name, Needed: true, Detail: detail}, err)
}

// Mentions adds a part that the process works without, if less well.
func (r *Report) Mentions(name, detail string, err error) {
	r.add(Part{Name: name, Detail: detail}, err)
}

func (r *Report) add(p Part, err error) {
	p.OK = err == nil
	if err != nil {
		p.Error, p.Hint = err.Error(), memory.HintOf(err)
		r.Healthy = r.Healthy && !p.Needed
	}
	r.Parts = append(r.Parts, p)
}

// Code is the exit code that tells it.
func (r *Report) Code() int {
	if r.Healthy {
		return Healthy
	}
	return Unhealthy
}

// Write writes a line for each part, and one for what to do, or JSON.
func (r *Report) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	var b strings.Builder
	for _, p := range r.Parts {
		word, text := "ok  ", p.Detail
		switch {
		case !p.OK && p.Needed:
			word, text = "fail", p.Error
		case !p.OK:
			word, text = "warn", p.Error
		}
		fmt.Fprintf(&b, "%s  %-10s  %s\n", word, p.Name, oneLine(text))
		if p.Hint != "" {
			fmt.Fprintf(&b, "                  → %s\n", oneLine(p.Hint))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine takes out what could move a terminal's cursor: servers choose some of the words.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		default:
			return unicode.ReplacementChar
		}
	}, s)
}
