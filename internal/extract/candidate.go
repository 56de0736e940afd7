package extract

import (
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Candidate is one complete fact found in a session: readable without the
// session, not yet redacted as a whole (see [Options]) and not yet compared with what is stored.
type Candidate struct {
	Text       string    // one to three sentences, at most MaxTextBytes
	Type       string    // memory.TypeError, TypeLearning …
	Tags       []string  // e.g. "error", "go test"
	Collection string    // memory.ShortTerm
	Importance float64   // 0 to 1
	Score      float64   // 0 to 1: how sure the rule is; the order of candidates
	Rule       string    // the rule, or "model", and so the reason it was taken
	UUIDs      []string  // of the transcript lines it came from, in order
	At         time.Time // of the last of them
}

// MaxTextBytes bounds the text of a candidate.
const MaxTextBytes = 700

// DefaultLimit is how many candidates one sweep may give.
const DefaultLimit = 5

// DefaultMinScore is what a candidate must reach.
const DefaultMinScore = 0.5

// Options of [Rules] and [Extract].
type Options struct {
	Limit    int      // candidates at most; 0 means DefaultLimit, negative none
	MinScore float64  // 0 means DefaultMinScore
	Known    []string // texts that were injected into this session: what repeats them is not a candidate
	// Redactor takes secrets out of the words that candidates are made of, before they are
	// rewritten; nil leaves them. The candidates' texts are still to be redacted.
	Redactor memory.Redactor
}

func (o Options) withDefaults() Options {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.MinScore == 0 {
		o.MinScore = DefaultMinScore
	}
	return o
}

// StoreInput makes the request that stores the candidate. The caller redacts
// its text before it leaves the process.
func (c Candidate) StoreInput(project, session string) memory.StoreInput {
	importance := c.Importance
	in := memory.StoreInput{
		Text: c.Text, Type: c.Type, Tags: c.Tags, Collection: c.Collection, Importance: &importance,
		Project: project, Session: session, Source: memory.SourceHook,
	}
	if !c.At.IsZero() {
		at := c.At
		in.CreatedAt = &at
	}
	return in
}
