package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
)

// portable reports whether a setting means the same on another machine: no address, no key, no
// folder.
func portable(name string) bool {
	switch name {
	case "ollama.embed_model", "ollama.chat_model", "ui.port", "project", "autostart":
		return true
	}
	return strings.HasPrefix(name, "hooks.")
}

// Portable returns what config.toml sets and a backup may hold.
func (c Config) Portable() map[string]string {
	out := map[string]string{}
	for _, s := range specs() {
		if portable(s.name) && s.mask == nil && strings.HasPrefix(c.sources[s.name], "file ") {
			out[s.name] = s.at(&c).String()
		}
	}
	return out
}

// WritePortable writes the given settings that are portable and have a valid value to config.toml. It
// never changes an existing config.toml. It returns false for written if the file exists already, or
// if there is no setting to write.
func WritePortable(home string, settings map[string]string) (written bool, err error) {
	path := filepath.Join(home, FileName)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		s, known := fileSpec(name)
		if !known || !portable(name) || s.mask != nil || value == "" {
			continue
		}
		if problem, _ := s.problem(value); problem != "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			continue
		}
		fmt.Fprintf(&lines, "%s = %s\n", name, strconv.Quote(value))
	}
	if lines.Len() == 0 {
		return false, nil
	}
	text := "# From a backup.\n" + lines.String()
	if _, bad := parseFile(FileName, text); len(bad) > 0 {
		return false, bad
	}
	if err := renameio.WriteFile(path, []byte(text), 0o600, renameio.WithTempDir(home)); err != nil {
		return false, fmt.Errorf("write %s: %w", FileName, err)
	}
	return true, nil
}
