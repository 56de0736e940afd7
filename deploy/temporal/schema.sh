#!/bin/sh
# Makes Temporal's tables in PostgreSQL, or brings them to the schema of this release. It may run
# as often as one likes: the first command only notes a version where none is noted.
set -eu
for pair in temporal:temporal temporal_visibility:visibility; do
	database=${pair%:*}
	schema=${pair#*:}
	temporal-sql-tool --db "$database" setup-schema -v 0.0
	temporal-sql-tool --db "$database" update-schema --schema-name "postgresql/v12/$schema"
done
