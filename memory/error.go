package memory

import (
	"context"
	"errors"
	"fmt"
)

// Code sorts errors by what the caller can do about them.
type Code string

// The codes.
const (
	Invalid     Code = "invalid"     // bad input: change it
	NotFound    Code = "not_found"   // there is no such memory
	Unavailable Code = "unavailable" // a part is down: try later
	Refused     Code = "refused"     // a part refuses: its key, rights, model, schema, quota or disk; try again when somebody mended it
	Conflict    Code = "conflict"    // what the caller asks for does not go with what is stored, such as an id that was merged away
	Internal    Code = "internal"    // a bug or an unforeseen answer
)

// Error is an error that a program can sort by Code and a person can act on
// by Hint.
type Error struct {
	Code Code
	Op   string // what was being done, such as "recall"
	Part string // the part that failed: "Temporal", "PostgreSQL", "Qdrant" or "Ollama"; may be empty
	Hint string // what to do next; may be empty
	Err  error
}

// Error returns the operation and the cause, without the hint.
func (e *Error) Error() string {
	if e.Op == "" {
		return e.Err.Error()
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an [Error] of code with a formatted cause (%w works).
func Errorf(code Code, hint, format string, args ...any) *Error {
	return &Error{Code: code, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Down makes the [Unavailable] error of a part.
func Down(part, hint string, err error) *Error {
	return &Error{Code: Unavailable, Part: part, Hint: hint, Err: err}
}

// Refusal makes the [Refused] error of a part that answers and does not do what
// it is asked to. The hint says how that is mended.
func Refusal(part, hint string, err error) *Error {
	return &Error{Code: Refused, Part: part, Hint: hint, Err: err}
}

// CodeOf returns the code of the first [Error] in err's chain, [Unavailable]
// for a context's deadline, and else [Internal]. It is empty for nil.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	default:
		return Internal
	}
}

// HintOf returns the hint of the first [Error] in err's chain that has one.
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}

// PartOf returns the part that failed according to err's chain, or "".
func PartOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Part != "" {
			return e.Part
		}
		err = e.Err
	}
	return ""
}

// Waits reports whether err is because a part is down or refuses: nothing is
// wrong with what was asked, and the same succeeds once that is over.
func Waits(err error) bool {
	code := CodeOf(err)
	return code == Unavailable || code == Refused
}

// Retryable reports whether trying the same again later may succeed: what
// [Waits], and what is unknown, because losing a write is worse than trying too
// often.
func Retryable(err error) bool {
	switch CodeOf(err) {
	case Invalid, NotFound, Conflict:
		return false
	default:
		return true
	}
}
