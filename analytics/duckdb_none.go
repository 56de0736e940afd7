//go:build !cgo

package analytics

import (
	"database/sql/driver"
	"net/url"
)

// Linked reports whether DuckDB is part of this program. DuckDB is C++: a build
// without a C++ compiler leaves it out.
const Linked = false

func connector(string, url.Values) (driver.Connector, error) { return nil, ErrNotLinked }

func newAppender(driver.Conn, string, string) (appender, error) { return nil, ErrNotLinked }
