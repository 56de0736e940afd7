// Package backup reads and writes backup files: everything that a ledger holds, of one moment.
//
// A backup is text compressed with Zstandard (RFC 8878), one JSON value a line:
//
//	{"mneme_backup":1,"schema":6,…,"tables":[{"name":"memories","columns":[…],"rows":2},…]}
//	{"id":"…","collection":"claude_memories",…,"text":"…","vector":"\\x3f80…",…}
//	{"id":"…",…}
//	…
//	{"end":{"rows":9,"tables":{"memories":"SHA-256 of its lines",…},"sha256":"of all lines above"}}
//
// The first line is a [memory.BackupHead]. The rows follow in the order of its tables, as many
// as it says, each as PostgreSQL's row_to_json writes it: bytes in hex, times in UTC. Vectors are
// in it, so nothing has to be embedded again. For recipients the compressed text is encrypted
// with age (https://age-encryption.org/v1). So "zstd -d", or "age -d -i KEY | zstd -d", shows what is
// in a file, without mneme.
//
// Reading trusts nothing: lines are bounded, the file must end where its last line says, and all
// digests must agree before anybody uses a row.
package backup
