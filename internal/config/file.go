package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/mneme-memory/mneme/memory"
)

// fileValues are the values that the configuration file sets.
type fileValues map[string]fileValue

type fileValue struct{ value, source string }

// maxFileBytes bounds the configuration file: a longer file is no
// configuration.
const maxFileBytes = 1 << 20

// readFile reads the configuration file. An absent file sets nothing.
func readFile(path string) (fileValues, Problems) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var text []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular() || info.Size() > maxFileBytes:
		err = fmt.Errorf("is not a file of at most %d bytes", maxFileBytes)
	default:
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, Problems{{Source: "file " + path, Reason: err.Error()}}
	}
	return parseFile(filepath.Base(path), string(text))
}

// parseFile reads the text of a configuration file called name.
func parseFile(name, text string) (fileValues, Problems) {
	var tree map[string]any
	if _, err := toml.Decode(text, &tree); err != nil {
		return nil, Problems{syntaxProblem(name, err)}
	}
	lines := keyLines(text)
	values := fileValues{}
	var bad Problems
	walk(tree, "", func(key string, v any) {
		source := fmt.Sprintf("file %s", name)
		if n := lineOf(lines, key); n > 0 {
			source = fmt.Sprintf("file %s:%d", name, n)
		}
		value, problem := fileSetting(key, v)
		if problem.Reason != "" {
			problem.Source = source
			bad = append(bad, problem)
			return
		}
		values[key] = fileValue{value, source}
	})
	return values, bad
}

func syntaxProblem(name string, err error) Problem {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return Problem{Source: fmt.Sprintf("file %s:%d", name, parse.Position.Line), Reason: "is not TOML: " + parse.Message}
	}
	return Problem{Source: "file " + name, Reason: "is not TOML: " + err.Error()}
}

// walk calls do for every value that is no table, in the order of the keys.
func walk(tree map[string]any, prefix string, do func(key string, v any)) {
	for _, key := range sortedKeys(tree) {
		full := prefix + key
		if table, ok := tree[key].(map[string]any); ok {
			walk(table, full+".", do)
			continue
		}
		do(full, tree[key])
	}
}

// fileSetting returns the text of a value, or what is wrong with its key or its kind.
func fileSetting(key string, v any) (string, Problem) {
	s, ok := fileSpec(key)
	if !ok {
		return "", unknownKey(key)
	}
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v), Problem{}
	case int64:
		return fmt.Sprint(v), Problem{}
	case float64, bool:
		if s.bare {
			return fmt.Sprint(v), Problem{}
		}
	}
	return "", Problem{Reason: fmt.Sprintf("%s must be text in quotes or a whole number", key)}
}

// fileSpec returns the setting of a key that the file may have.
func fileSpec(key string) (spec, bool) {
	for _, s := range specs() {
		if s.name == key && key != homeName {
			return s, true
		}
	}
	return spec{}, false
}

func unknownKey(key string) Problem {
	switch key {
	case homeName:
		return Problem{Reason: "home cannot be set here, because this file lies in it", Hint: "set MNEME_HOME"}
	case "temporal.task_queue": // it was a setting once, that nothing followed
		return Problem{Reason: key + " is no setting any more: every worker listens where every door asks", Hint: "take the line out"}
	}
	var known []string
	for _, s := range specs() {
		if s.name != homeName {
			known = append(known, s.name)
		}
	}
	return Problem{Reason: fmt.Sprintf("there is no setting %q", memory.Clip(key, memory.MaxRepeated)), Hint: "the settings are " + strings.Join(known, ", ")}
}
