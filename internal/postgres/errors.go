package postgres

import (
	"context"
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
	if disconnected(err) || pgconn.Timeout(err) {
		return memory.Down(part, downHint, err)
	}
	return err
}

// classifyAnswer sorts what the server itself said by its SQLSTATE.
func classifyAnswer(pg *pgconn.PgError, err error) error {
	switch class := pg.Code[:min(2, len(pg.Code))]; {
	case pg.Code == "42P01" || pg.Code == "3F000":
		return memory.Down(part, `its tables are not there yet; "mneme up" or a worker makes them`, err)
	case pg.Code == "25006":
		return memory.Down(part, "it is read-only; is this a standby?", err)
	case class == "08" || class == "57" || class == "53":
		return memory.Down(part, downHint, err)
	case class == "28" || class == "3D":
		return memory.Down(part, "check user, password and database in the PostgreSQL URL", err)
	case class == "22" || class == "23":
		// The server's detail may quote the row, so only the message and the rule are told.
		return memory.Errorf(memory.Invalid, hintOf(pg), "%s", pg.Message)
	default:
		return err
	}
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
