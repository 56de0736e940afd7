package postgres

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-memory/mneme/migrations"
)

// What the migrations say, for whoever has to know the schema of another release.

var (
	createdTable = regexp.MustCompile(`(?mi)^CREATE TABLE (?:IF NOT EXISTS )?([a-z_0-9]+)`)
	droppedTable = regexp.MustCompile(`(?mi)^DROP TABLE (?:IF EXISTS )?([a-z_0-9, ]+)`)
	fileNumber   = regexp.MustCompile(`^(\d+)_[a-z_0-9]+\.sql$`)
)

const downMark = "-- +goose Down"

// migration is one file of migrations.
type migration struct {
	version  int64
	up, down string // its statements
}

// allMigrations returns the files in their order.
func allMigrations() ([]migration, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	out := make([]migration, 0, len(names))
	for _, name := range names {
		number := fileNumber.FindStringSubmatch(name)
		if number == nil {
			return nil, fmt.Errorf("migration %s has no number", name)
		}
		version, err := strconv.ParseInt(number[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		up, down, _ := strings.Cut(string(text), downMark)
		out = append(out, migration{version, up, down})
	}
	slices.SortFunc(out, func(a, b migration) int { return int(a.version - b.version) })
	return out, nil
}

// tablesAt returns the names of the tables that a schema version has: memories first, then by name.
func tablesAt(version int64) ([]string, error) {
	files, err := allMigrations()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range files {
		if m.version > version {
			break
		}
		for _, dropped := range droppedTable.FindAllStringSubmatch(m.up, -1) {
			for name := range strings.SplitSeq(dropped[1], ",") {
				names = slices.DeleteFunc(names, func(n string) bool { return n == strings.TrimSpace(name) })
			}
		}
		for _, created := range createdTable.FindAllStringSubmatch(m.up, -1) {
			names = append(names, created[1])
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "memories":
			return -1
		case b == "memories":
			return 1
		}
		return strings.Compare(a, b)
	})
	return names, nil
}
