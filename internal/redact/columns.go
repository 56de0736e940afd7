package redact

import (
	"slices"
	"strings"
)

// maxTable bounds how many bytes after its header a table of logins is read.
const maxTable = 16 << 10

var secretColumn = lazily(`(?i)^["'*_\x60 ]*(?:` + passwordField + `|` + secretField + `|pass|pw|mdp|mot de passe|contraseña|clave|senha)["'*_\x60 ]*$`)

// A loginTable is the header of a table that has a column of secrets.
type loginTable struct {
	separator string
	column    int  // of the secrets, from 0
	columns   int  // how many there are
	loose     bool // the header begins in a sentence
}

// columns finds the values below a column header such as "password", in CSV and in Markdown
// tables.
func columns(t *scanText, out []span) []span {
	if !mayHoldAny(t, "pass", "pwd", "pw", "kennwort", "secret", "token", "key", "mdp", "contrase", "clave", "senha") {
		return out
	}
	for start := 0; start < len(t.raw); {
		end := lineEnd(t.raw, start)
		if table, ok := loginHeader(t.raw[start:end]); ok {
			out, start = table.cells(t, end+1, out)
			continue
		}
		start = end + 1
	}
	return out
}

func mayHoldAny(t *scanText, words ...string) bool {
	return slices.ContainsFunc(words, t.pairs.mayHold)
}

func lineEnd(raw string, from int) int {
	if i := strings.IndexByte(raw[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(raw)
}

// loginHeader reads a line as the header of a table with a column of secrets.
func loginHeader(line string) (loginTable, bool) {
	if len(line) > 500 {
		return loginTable{}, false
	}
	for _, separator := range []string{"|", "\t", ";", ","} {
		fields := strings.Split(line, separator)
		if len(fields) < 2 {
			continue
		}
		column := slices.IndexFunc(fields, secretColumn().MatchString)
		prose := slices.ContainsFunc(fields[1:], func(f string) bool { return !columnName().MatchString(f) })
		if column < 0 || prose {
			continue
		}
		// A Markdown row begins with its separator, so words before it are no column.
		loose := separator != "|" && len(fields) < 3 && !columnName().MatchString(fields[0])
		return loginTable{separator: separator, column: column, columns: len(fields), loose: loose}, true
	}
	return loginTable{}, false
}

// columnName tells the header of a table from a sentence with commas.
var columnName = lazily(`^[\s"'*_\x60]*(?:[\w.-]+(?: [\w.-]+){0,2})?[\s"'*_\x60]*$`)

var tableRule = lazily(`^[\s|:;,-]*$`)

// cells adds the values of the column, row by row, until a line has another number of columns,
// and returns where that line begins.
func (table loginTable) cells(t *scanText, start int, out []span) ([]span, int) {
	for first := start; start < len(t.raw) && start-first < maxTable; {
		end := lineEnd(t.raw, start)
		line := t.raw[start:end]
		if strings.Count(line, table.separator) != table.columns-1 {
			break
		}
		if s, ok := table.cell(t, start, line); ok {
			out = append(out, s)
		}
		start = end + 1
	}
	return out, start
}

func (table loginTable) cell(t *scanText, start int, line string) (span, bool) {
	if tableRule().MatchString(line) {
		return span{}, false
	}
	from := start
	for range table.column {
		from += strings.Index(t.raw[from:], table.separator) + len(table.separator)
	}
	to := start + len(line)
	if i := strings.Index(t.raw[from:to], table.separator); i >= 0 {
		to = from + i
	}
	s := trim(span{start: from, end: to, kind: KindPassword, rank: rankOwn}, t.raw)
	value := strings.Trim(t.raw[s.start:s.end], "\"'`")
	return s, len(value) >= 3 && !notAValue(value) && (!table.loose || strong(value))
}

// notAValue reports what stands in a table where there is no secret.
func notAValue(v string) bool {
	return placeholder().MatchString(v) || commonWords()[strings.ToLower(v)] || strings.Contains(v, " ")
}
