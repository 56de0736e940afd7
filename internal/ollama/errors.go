package ollama

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/mneme-memory/mneme/memory"
)

// part is Ollama's name in errors.
const part = "Ollama"

// errMissing marks the error of a model that Ollama does not have.
var errMissing = errors.New("the model is not there")

// ModelMissing reports whether err is because Ollama does not have the model.
func ModelMissing(err error) bool { return errors.Is(err, errMissing) }

// classify gives an error of the client its code and hint. The end of the caller's own
// context stays what it is.
func (e target) classify(op string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", op, err)
	}
	var status api.StatusError
	var auth api.AuthorizationError
	var refusal *memory.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == memory.Refused: // by the HTTP client that we were given
		return wrap(memory.Refused, op, refusal.Hint, refusal.Err)
	case errors.As(err, &status):
		return e.ofStatus(op, status)
	case errors.As(err, &auth):
		return wrap(memory.Refused, op, hintKey, err)
	case isUntrusted(err):
		return wrap(memory.Refused, op, "check MNEME_OLLAMA_URL: http or https, and whether this machine trusts its certificate", err)
	case isDown(err):
		return wrap(memory.Unavailable, op,
			`start it with "ollama serve", or run "mneme doctor" to see every part`,
			fmt.Errorf("Ollama does not answer at %s: %w", e.address, err))
	}
	return wrap(memory.Internal, op, "", err)
}

// hintKey is for a server that wants to know who asks.
const hintKey = "sign in to that Ollama, or set MNEME_OLLAMA_URL to another"

// ofStatus sorts what Ollama, or a proxy in front of it, answers. No status is
// about the text that somebody stores: every text can be embedded, a long one in
// pieces.
func (e target) ofStatus(op string, err api.StatusError) error {
	switch code := err.StatusCode; {
	case code == http.StatusNotFound && strings.Contains(err.ErrorMessage, "not found"):
		return wrap(memory.Refused, op, fmt.Sprintf("fetch it with \"ollama pull %s\"", e.model), fmt.Errorf("%w: %w", errMissing, err))
	case code == http.StatusForbidden || code == http.StatusProxyAuthRequired:
		return wrap(memory.Refused, op, hintKey, err)
	case code == http.StatusTooManyRequests || code == http.StatusPaymentRequired:
		return wrap(memory.Refused, op, "raise the limit of that Ollama, or wait until it is over", err)
	case code == http.StatusInsufficientStorage || outOfRoom(err.ErrorMessage):
		return wrap(memory.Refused, op, "make room on Ollama's disk or in its memory, or use a smaller model", err)
	case code == http.StatusRequestTimeout || code >= 500:
		return wrap(memory.Unavailable, op, "try again later; Ollama's own log says more", err)
	}
	return wrap(memory.Refused, op, fmt.Sprintf("check whether %s is a model that does this, and whether MNEME_OLLAMA_URL is an Ollama", e.model), err)
}

// outOfRoom reports whether Ollama failed for want of memory or disk, which it
// says with a status of its own fault.
func outOfRoom(message string) bool {
	return strings.Contains(message, "no space left on device") || strings.Contains(message, "requires more system memory")
}

func wrap(code memory.Code, op, hint string, err error) error {
	return &memory.Error{Code: code, Op: op, Part: part, Hint: hint, Err: err}
}

// isUntrusted reports whether one side speaks TLS and the other does not, or
// does not trust it.
func isUntrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.Is(err, http.ErrSchemeMismatch)
}

// isDown reports whether err is about the connection: refused, reset, timed out, cut off.
func isDown(err error) bool {
	var network net.Error
	var request *url.Error
	return errors.As(err, &network) || errors.As(err, &request) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || errors.Is(err, errCutOff)
}

// isTooLong reports whether Ollama refused a text because of its length. Versions word
// it differently; all say what is exceeded.
func isTooLong(err error) bool {
	var status api.StatusError
	if !errors.As(err, &status) || status.StatusCode != http.StatusBadRequest {
		return false
	}
	return strings.Contains(status.ErrorMessage, "exceed") && strings.Contains(status.ErrorMessage, "context length")
}

// badAnswer is the error of an answer that must not reach an index.
func badAnswer(format string, args ...any) error {
	return wrap(memory.Internal, "embed", "the model or its server is broken; try another model", fmt.Errorf(format, args...))
}

// isBadJSON reports whether the answer was no JSON, as from a server that is no Ollama.
func isBadJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}
