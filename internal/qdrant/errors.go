package qdrant

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/memory"
)

// Hints for what a person can do.
const (
	hintDown    = `run "mneme doctor" to see every part; a server of your own must be reached at its gRPC port`
	hintRebuild = `run "mneme rebuild", which writes the index anew from the ledger`
	hintKey     = "check MNEME_QDRANT_API_KEY"
	hintRights  = "give MNEME_QDRANT_API_KEY a key that may write, or raise the limits that Qdrant's strict mode sets"
	hintLimit   = "raise the limit in Qdrant's configuration, or wait until there is less to do"
	hintLocked  = "unlock it: Qdrant takes no writes now"
	hintDisk    = "make room on Qdrant's disk"
	hintTLS     = "check MNEME_QDRANT_TLS and MNEME_QDRANT_TLS_CA: both sides must speak TLS, or neither, and trust each other"
	hintServer  = "check that MNEME_QDRANT_ADDRESS is the gRPC port of a Qdrant that mneme supports"
)

// explain turns an error of the client into one of ours: what was being done,
// whether trying again helps, and what to do else.
func (x *Index) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("%s in Qdrant at %s: %w", doing, x.options.Address, err)
	if errors.Is(err, context.Canceled) {
		return wrapped
	}
	code, text := grpcCode(err)
	switch code {
	case codes.Canceled:
		return fmt.Errorf("%w: %w", wrapped, context.Canceled)
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		if noHandshake(text) {
			return memory.Refusal("Qdrant", hintTLS, wrapped)
		}
		return memory.Down("Qdrant", hintDown, wrapped)
	case codes.NotFound:
		// The ledger has everything, and whoever watches the index fills it again.
		return memory.Down("Qdrant", hintRebuild, fmt.Errorf("%w: %w", wrapped, memory.ErrNoCollection))
	}
	if hint := refusal(code, text); hint != "" {
		// Shown to people for as long as it waits, so without what the client puts around it.
		return memory.Refusal("Qdrant", hint, fmt.Errorf("%s in Qdrant at %s: %s", doing, x.options.Address, text))
	}
	return &memory.Error{Code: memory.Internal, Part: "Qdrant", Err: wrapped}
}

// refusal returns how to mend what Qdrant refuses for, "" when an answer is no
// refusal. Qdrant's own codes are in its lib/storage/src/content_manager/errors.rs;
// one for a full disk is not among them.
func refusal(code codes.Code, text string) string {
	switch code {
	case codes.Unauthenticated:
		return hintKey
	case codes.PermissionDenied:
		return hintRights
	case codes.ResourceExhausted:
		return hintLimit
	case codes.FailedPrecondition:
		return hintLocked
	case codes.Unimplemented:
		return hintServer
	case codes.InvalidArgument:
		if strings.Contains(text, "dimension") {
			return hintRebuild
		}
	case codes.Internal:
		if strings.Contains(text, "No space left") || strings.Contains(text, "no space left") || strings.Contains(text, "file too large") {
			return hintDisk
		}
	}
	return ""
}

// noHandshake reports whether a connection failed because one side speaks TLS
// and the other does not, or does not trust it. The gRPC client has only words
// for that.
func noHandshake(text string) bool {
	return strings.Contains(text, "authentication handshake failed") || strings.Contains(text, "error reading server preface: http2:")
}

// missing is true of the error of a call to a collection that does not exist.
func missing(err error) bool {
	if err == nil {
		return false
	}
	code, _ := grpcCode(err)
	return code == codes.NotFound
}

// grpcCode finds the gRPC status in a chain of errors.
func grpcCode(err error) (codes.Code, string) {
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded, err.Error()
	}
	var withStatus interface{ GRPCStatus() *status.Status }
	if errors.As(err, &withStatus) {
		s := withStatus.GRPCStatus()
		return s.Code(), s.Message()
	}
	return codes.Unknown, err.Error()
}
