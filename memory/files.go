package memory

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxFiles bounds the files of one query.
const MaxFiles = 50

// fileName is the last part of a path, in lower case.
func fileName(file string) string {
	return strings.ToLower(path.Base(strings.ReplaceAll(strings.TrimSpace(file), `\`, "/")))
}

// FileNames are the last parts of paths, as words to search for.
func FileNames(files []string) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = fileName(f)
	}
	return strings.Join(names, " ")
}

// Mentions reports whether a memory names one of the files, by its path or by
// the last part of it, in its text or as a tag.
func (m Memory) Mentions(files []string) bool {
	text := strings.ToLower(m.Text + " " + strings.Join(m.Tags, " "))
	for _, f := range files {
		if name := fileName(f); name != "." && name != "/" && holdsName(text, name) {
			return true
		}
	}
	return false
}

// holdsName reports whether a name stands in a text and is no part of a longer name.
func holdsName(text, name string) bool {
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		after := rest[i+len(name):]
		next, size := utf8.DecodeRuneInString(after)
		// "main.go." ends a sentence, "main.go.tmpl" is another file.
		if next == '.' {
			next, _ = utf8.DecodeRuneInString(after[size:])
		}
		if !ofName(before) && !ofName(next) {
			return true
		}
		rest = rest[i+1:]
	}
}

// ofName reports whether a rune may continue a file's name.
func ofName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}
