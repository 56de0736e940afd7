package postgres

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mneme-memory/mneme/memory"
)

// TestClassify sorts what PostgreSQL answers: only what the caller gave can be
// invalid; what the server refuses waits, and the hint says how it is mended.
func TestClassify(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct {
		is   memory.Code
		hint string
	}{
		"28P01": {memory.Refused, "password"},
		"3D000": {memory.Refused, "database"},
		"25006": {memory.Refused, "read-only"},
		"42501": {memory.Refused, "grant"},
		"42P01": {memory.Refused, "version"},
		"42703": {memory.Refused, "version"},
		"23502": {memory.Refused, "version"},
		"53100": {memory.Refused, "disk"},
		"53300": {memory.Refused, "connections"},
		"58030": {memory.Refused, "log"},
		"53200": {memory.Unavailable, "mneme doctor"},
		"57P03": {memory.Unavailable, "mneme doctor"},
		"57014": {memory.Unavailable, "mneme doctor"},
		"08006": {memory.Unavailable, "mneme doctor"},
		"XX000": {memory.Internal, ""},
		"22021": {memory.Invalid, "text"},
		"23514": {memory.Invalid, ""},
	} {
		err := classify(fmt.Errorf("store: %w", &pgconn.PgError{Code: code, Message: "no"}))
		if memory.CodeOf(err) != want.is || !strings.Contains(memory.HintOf(err), want.hint) {
			t.Errorf("%s: %s, hint %q; want %s, %q", code, memory.CodeOf(err), memory.HintOf(err), want.is, want.hint)
		}
		if want.is != memory.Invalid && (memory.PartOf(err) != "PostgreSQL" || !memory.Retryable(err)) {
			t.Errorf("%s: of %q, tried again: %t", code, memory.PartOf(err), memory.Retryable(err))
		}
	}
	for _, err := range []error{&tls.CertificateVerificationError{Err: errors.New("unknown authority")}, errors.New("server refused TLS connection")} {
		if got := classify(fmt.Errorf("connect: %w", err)); memory.CodeOf(got) != memory.Refused || !strings.Contains(memory.HintOf(got), "sslmode") {
			t.Errorf("%v: %s, hint %q", err, memory.CodeOf(got), memory.HintOf(got))
		}
	}
}
