package memory

import (
	"errors"
	"fmt"
	"time"
)

// SomePart stands for the part that is waited for when nobody knows which.
const SomePart = "a part that is slow or down"

// Wait says what keeps an accepted change from being made.
type Wait struct {
	Part   string `json:"part"`             // such as "Qdrant", or [SomePart]
	Code   Code   `json:"code"`             // [Refused] when a person must mend it
	Reason string `json:"reason,omitempty"` // what the part answered
	Hint   string `json:"hint,omitempty"`   // how it is mended
}

// WaitFor returns what err makes a change wait for.
func WaitFor(err error) Wait {
	w := Wait{Part: PartOf(err), Code: CodeOf(err), Reason: err.Error(), Hint: HintOf(err)}
	if w.Part == "" {
		w.Part = SomePart
	}
	return w
}

// Until says when the change is made: "when Qdrant is back", or why not yet and
// what to do.
func (w Wait) Until() string {
	if w.Code != Refused {
		return "when " + w.Part + " is back"
	}
	return join("when "+w.Part+" takes it, which refuses now: "+w.Reason, w.Hint)
}

// Err is what a caller is told whose change is neither made nor lost; others, which
// may be empty, is said of the changes that wait beside it.
func (w Wait) Err(others string) error {
	code, hint := Unavailable, "there is no need to ask again"
	if w.Code == Refused {
		code, hint = Refused, join(w.Hint, hint)
	}
	w.Hint = "" // it stands in the error's
	return &Error{Code: code, Part: w.Part, Hint: hint, Err: errors.New(join("accepted; it will be done "+w.Until(), others))}
}

// Waiting are the accepted changes that wait for one part.
type Waiting struct {
	Wait

	Count int       `json:"count"`
	About bool      `json:"about,omitempty"` // Count is an estimate, because there are too many to look at each
	Since time.Time `json:"since"`           // when the first of them began to wait
}

// String says it in one line, without the hint: "12 changes wait for Qdrant
// since 10:12:04: the reason".
func (w Waiting) String() string {
	count, verb := fmt.Sprintf("%d changes", w.Count), "wait"
	if w.Count == 1 {
		count, verb = "1 change", "waits"
	}
	if w.About {
		count = "about " + count
	}
	line := fmt.Sprintf("%s %s for %s since %s", count, verb, w.Part, w.Since.Local().Format("2006-01-02 15:04:05"))
	if w.Reason != "" {
		line += ": " + w.Reason
	}
	return line
}

// join puts a semicolon between two texts of which either may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
