package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mneme-memory/mneme/memory"
)

const (
	part     = "PostgreSQL"
	downHint = `start it, or run "mneme doctor" to see every part`
	hintURL  = "give a URL such as postgres://user@127.0.0.1:5432/mneme"

	noSuchTable = "42P01" // SQLSTATE undefined_table
	otherModel  = "MN001" // our own, see migration 12
)

// outside marks an error of a callback, which must not be mistaken for one of
// the database.
type outside struct{ error }

// Unwrap returns the callback's error.
func (o outside) Unwrap() error { return o.error }

// wrap sorts an error by what the caller can do about it. Errors that are
// sorted already and those of callbacks only get the verb in front.
func (l *Ledger) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	if o, ok := errors.AsType[outside](err); ok {
		return fmt.Errorf("%s: %w", what, o.error)
	}
	if _, sorted := errors.AsType[*memory.Error](err); sorted {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w", what, classify(err))
}

func classify(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return classifyAnswer(pg, err)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	if untrusted(err) {
		return memory.Refusal(part, "check sslmode and the certificates in the PostgreSQL URL", err)
	}
	if disconnected(err) || pgconn.Timeout(err) {
		return memory.Down(part, downHint, err)
	}
	return err
}

// classifyAnswer sorts what the server itself said by its SQLSTATE, see appendix A
// of PostgreSQL's manual.
func classifyAnswer(pg *pgconn.PgError, err error) error {
	if hint := refusal(pg.Code); hint != "" {
		return memory.Refusal(part, hint, err)
	}
	switch pg.Code[:min(2, len(pg.Code))] {
	case "08", "57", "53":
		return memory.Down(part, downHint, err)
	case "22", "23":
		// The server's detail may quote the row, so only the message and the rule are told.
		return memory.Errorf(memory.Invalid, hintOf(pg), "%s", pg.Message)
	default:
		return &memory.Error{Code: memory.Internal, Part: part, Err: err}
	}
}

// refusal returns how to mend what the server refuses for, "" when an answer is
// no refusal.
func refusal(code string) string {
	switch code {
	case noSuchTable, "3F000", "42703", "42883", "42P10", "23502":
		// A column that must not be null, and of which this mneme knows nothing, is one of a newer schema.
		return `its tables are not those of this version: "mneme up" or a worker of the newest version makes them; upgrade the others`
	case otherModel:
		return "another embedding model came into force a moment ago; it is tried again by itself"
	case "25006":
		return "it is read-only: give the PostgreSQL URL of the primary, or turn default_transaction_read_only off"
	case "42501":
		return "make the role of the PostgreSQL URL the owner of mneme's tables, or grant it their use"
	case "53100":
		return "make room on PostgreSQL's disk"
	case "53300", "53400":
		return "raise the limit of connections, or end some"
	case "57P04":
		return "make the database, or give the PostgreSQL URL of another"
	}
	switch code[:min(2, len(code))] {
	case "28", "3D":
		return "check user, password and database in the PostgreSQL URL"
	case "58":
		return "look at PostgreSQL's log and its disk"
	}
	return ""
}

// untrusted reports whether a connection failed because one side wants TLS and
// the other does not, or because a certificate is not trusted.
func untrusted(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	return strings.Contains(err.Error(), "server refused TLS connection")
}

func hintOf(pg *pgconn.PgError) string {
	if pg.ConstraintName != "" {
		return "the rule is " + strings.ReplaceAll(pg.ConstraintName, "_", " ")
	}
	return "check the text and numbers that were given"
}

// disconnected reports whether the connection was lost or never made.
func disconnected(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P")
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err) || errors.Is(err, pgx.ErrTxClosed) || strings.Contains(err.Error(), "conn closed")
}

// collided reports whether the server ended a transaction only because of
// another one.
func collided(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40P01" || pg.Code == "40001" || pg.Code == "23505")
}
