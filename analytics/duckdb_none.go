//go:build !cgo

package analytics

import (
	"database/sql/driver"
	"net/url"
)

// Linked reports whether DuckDB is part of this program. It is C++, so it is
// not where there was no compiler for that.
const Linked = false

func connector(string, url.Values) (driver.Connector, error) { return nil, ErrNotLinked }

func newAppender(driver.Conn, string, string) (appender, error) { return nil, ErrNotLinked }
