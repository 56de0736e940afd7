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
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted:
		return memory.Down("Qdrant", hintDown, wrapped)
	case codes.NotFound:
		// The ledger has everything, so this heals as soon as someone rebuilds.
		return memory.Down("Qdrant", hintRebuild, wrapped)
	case codes.Unauthenticated, codes.PermissionDenied:
		return &memory.Error{Code: memory.Conflict, Part: "Qdrant", Hint: hintKey, Err: wrapped}
	case codes.InvalidArgument:
		if strings.Contains(text, "dimension") {
			return &memory.Error{Code: memory.Conflict, Part: "Qdrant", Hint: hintRebuild, Err: wrapped}
		}
	}
	return &memory.Error{Code: memory.Internal, Part: "Qdrant", Err: wrapped}
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
