//go:build cgo

package analytics

import (
	"database/sql/driver"
	"net/url"

	"github.com/duckdb/duckdb-go/v2"
)

// Linked reports whether DuckDB is part of this program. It is C++, so it is
// not where there was no compiler for that.
const Linked = true

func connector(path string, settings url.Values) (driver.Connector, error) {
	return duckdb.NewConnector(path+"?"+settings.Encode(), nil)
}

func newAppender(conn driver.Conn, catalog, table string) (appender, error) {
	return duckdb.NewAppender(conn, catalog, "", table)
}
