//go:build cgo

package analytics

import (
	"database/sql/driver"
	"net/url"

	"github.com/duckdb/duckdb-go/v2"
)

// Linked reports whether DuckDB is part of this program. DuckDB is C++: a build
// without a C++ compiler leaves it out.
const Linked = true

func connector(path string, settings url.Values) (driver.Connector, error) {
	return duckdb.NewConnector(path+"?"+settings.Encode(), nil)
}

func newAppender(conn driver.Conn, catalog, table string) (appender, error) {
	return duckdb.NewAppender(conn, catalog, "", table)
}
