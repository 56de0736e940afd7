package qdrant

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/memory"
)

// TestExplain sorts what Qdrant answers: a refusal waits, and the hint names
// the remedy.
func TestExplain(t *testing.T) {
	t.Parallel()
	x := &Index{options: Options{Address: "there:6334"}}
	for text, want := range map[string]struct {
		code codes.Code
		is   memory.Code
		hint string
	}{
		"Invalid API key or JWT":                              {codes.Unauthenticated, memory.Refused, "MNEME_QDRANT_API_KEY"},
		"Forbidden: Global manage access is required":         {codes.PermissionDenied, memory.Refused, "may write"},
		"Rate limiting exceeded, retry later":                 {codes.ResourceExhausted, memory.Refused, "limit"},
		"Write operations are forbidden":                      {codes.FailedPrecondition, memory.Refused, "unlock"},
		"unknown method Query":                                {codes.Unimplemented, memory.Refused, "MNEME_QDRANT_ADDRESS"},
		"Wrong input: Vector dimension error":                 {codes.InvalidArgument, memory.Refused, "mneme rebuild"},
		"Service internal error: No space left on dev":        {codes.Internal, memory.Refused, "disk"},
		"write wal: file too large":                           {codes.Internal, memory.Refused, "disk"},
		"authentication handshake failed: tls: bad":           {codes.Unavailable, memory.Refused, "MNEME_QDRANT_TLS"},
		"connection refused":                                  {codes.Unavailable, memory.Unavailable, "mneme doctor"},
		"Collection memories doesn't exist":                   {codes.NotFound, memory.Unavailable, "mneme rebuild"},
		"Service internal error: index out of bounds":         {codes.Internal, memory.Internal, ""},
		"Wrong input: Expected some vectors":                  {codes.InvalidArgument, memory.Internal, ""},
		"the other side hung up: " + context.Canceled.Error(): {codes.Aborted, memory.Unavailable, "mneme doctor"},
	} {
		err := x.explain("search", status.Error(want.code, text))
		if memory.CodeOf(err) != want.is || memory.PartOf(err) != "Qdrant" || !strings.Contains(memory.HintOf(err), want.hint) || !memory.Retryable(err) {
			t.Errorf("%s %q: %s of %s, hint %q; want %s, %q", want.code, text, memory.CodeOf(err), memory.PartOf(err), memory.HintOf(err), want.is, want.hint)
		}
	}
}
