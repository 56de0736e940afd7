package config

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// Sources is where [Load] looks.
type Sources struct {
	Flags map[string]string   // values of the flags that were given, by name of the setting
	Env   func(string) string // environment; an empty value counts as not set. Required.
}

// Problem is one bad value.
type Problem struct {
	Source string // where it stands, such as "env MNEME_UI_PORT"
	Value  string // what was written, secrets masked; may be empty
	Reason string // what is wrong with it
	Hint   string // what to write instead; may be empty
}

// String returns the problem as one line.
func (p Problem) String() string {
	s := p.Source + ": "
	if p.Value != "" {
		s += fmt.Sprintf("%q ", p.Value)
	}
	s += p.Reason
	if p.Hint != "" {
		s += "; " + p.Hint
	}
	return s
}

// Problems is the error for bad settings: all of them at once.
type Problems []Problem

// Error lists the problems, one a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	if len(lines) == 1 {
		return "bad setting: " + lines[0]
	}
	return fmt.Sprintf("%d bad settings:\n  %s", len(p), strings.Join(lines, "\n  "))
}

// Load returns the settings in force. Its error is a [memory.Error] of code
// Invalid around [Problems]. It creates nothing: see [EnsureHome].
func Load(from Sources) (Config, error) {
	cfg := Config{sources: map[string]string{}, User: osUser(from.Env)}
	var bad Problems
	home, source, err := findHome(from)
	if err != nil {
		return cfg, invalid(Problems{{Source: source, Reason: err.Error(), Hint: "set MNEME_HOME to a folder"}})
	}
	file, problems := readFile(filepath.Join(home, FileName))
	bad = append(bad, problems...)
	for _, s := range specs() {
		if s.name == homeName {
			cfg.Home, cfg.sources[homeName] = home, source
			cfg.Temporal.KeyFile = PayloadKeysPath(home)
			continue
		}
		value, where := s.find(from, file)
		cfg.sources[s.name] = where
		if value == "" {
			continue
		}
		if reason, hint := s.problem(value); reason != "" {
			bad = append(bad, Problem{Source: where, Value: s.shownWhenBad(value), Reason: reason, Hint: hint})
			continue
		}
		s.at(&cfg).set(value)
	}
	cfg.Temporal.KeyFileGiven = cfg.Source(keyFileName) != fromDefault
	if len(bad) == 0 {
		bad = cfg.contradictions()
	}
	if len(bad) > 0 {
		return cfg, invalid(bad)
	}
	return cfg, nil
}

func invalid(bad Problems) error {
	return &memory.Error{Code: memory.Invalid, Op: "read settings", Err: bad, Hint: `"mneme config --help" lists every setting`}
}

// find returns the first value of a setting in order of precedence.
func (s spec) find(from Sources, file fileValues) (value, source string) {
	if v := strings.TrimSpace(from.Flags[s.name]); v != "" {
		return v, s.flagSource()
	}
	if v := strings.TrimSpace(from.Env(s.env)); v != "" {
		return v, "env " + s.env
	}
	if v, ok := file[s.name]; ok && v.value != "" {
		return v.value, v.source
	}
	return s.def, fromDefault
}

func (s spec) flagSource() string {
	if s.flag == "" {
		return "flag --" + s.name
	}
	return "flag --" + s.flag
}

// shownWhenBad repeats a bad value only if nothing secret can be in it.
func (s spec) shownWhenBad(v string) string {
	if strings.Contains(v, "@") {
		return masked
	}
	return memory.Clip(s.shown(v), memory.MaxRepeated)
}

// findHome returns the absolute data folder and where it was set.
func findHome(from Sources) (home, source string, err error) {
	home, source = strings.TrimSpace(from.Flags[homeName]), "flag --home"
	if home == "" {
		home, source = from.Env("MNEME_HOME"), "env MNEME_HOME"
	}
	if home == "" {
		home, source = "~/.mneme", fromDefault
	}
	if home == "~" || strings.HasPrefix(home, "~/") {
		folder, err := userHome(from.Env)
		if err != nil {
			return "", source, fmt.Errorf("find the home folder of the user: %w", err)
		}
		home = filepath.Join(folder, strings.TrimPrefix(home, "~"))
	}
	if strings.ContainsRune(home, 0) {
		return "", source, errors.New("holds NUL bytes")
	}
	home, err = filepath.Abs(home)
	return home, source, err
}

func userHome(env func(string) string) (string, error) {
	if home := env("HOME"); home != "" {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	if u.HomeDir == "" {
		return "", errors.New("HOME is not set")
	}
	return u.HomeDir, nil
}

// osUser returns the name of the operating system's user, for the audit. A
// container may have a user without a name: then its number must do.
func osUser(env func(string) string) string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := env("USER"); name != "" {
		return name
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}
