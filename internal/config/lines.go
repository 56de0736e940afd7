package config

import (
	"slices"
	"strings"
)

// keyLines finds on which line of a TOML text each key stands. The parser
// knows, but tells only in errors. The scan is used for messages alone: a key
// in an unusual form (quoted, inside an inline table) gets its table's line
// or none.
func keyLines(text string) map[string]int {
	lines := map[string]int{}
	table := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, _, _ := strings.Cut(strings.TrimLeft(line, "["), "]")
			table = dotted(name)
			note(lines, table, i+1)
			continue
		}
		key, _, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		full := dotted(key)
		if table != "" {
			full = table + "." + full
		}
		note(lines, full, i+1)
	}
	return lines
}

func note(lines map[string]int, key string, n int) {
	if _, seen := lines[key]; !seen {
		lines[key] = n
	}
}

// dotted writes a key of a TOML file without the quotes and spaces it may have.
func dotted(key string) string {
	parts := strings.Split(key, ".")
	for i, p := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(p), `"'`)
	}
	return strings.Join(parts, ".")
}

// lineOf returns the line of a key or of the nearest table around it, 0 if
// neither was found.
func lineOf(lines map[string]int, key string) int {
	for key != "" {
		if n := lines[key]; n > 0 {
			return n
		}
		key = key[:max(0, strings.LastIndexByte(key, '.'))]
	}
	return 0
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
