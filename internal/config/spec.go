package config

import "slices"

// homeName is the one setting that the file cannot hold: it lies there.
const homeName = "home"

// keyFileName is the setting whose default lies in the home.
const keyFileName = "temporal.key_file"

// spec describes one setting: its sources and its allowed values.
type spec struct {
	name  string // also its key in the file, dots being tables
	env   string // the variable that sets it
	flag  string // without dashes; "" for secrets, which no command line should hold, and what is seldom set
	def   string
	usage string
	bare  bool                                // whether the file may give true, false or a fraction without quotes
	mask  func(string) string                 // the form that may be printed; nil if all of it may
	check func(string) (problem, hint string) // nil if anything will do
	at    func(*Config) field                 // where its value goes
}

// specs lists every setting in the order they are shown.
func specs() []spec {
	home := spec{
		name: homeName, env: "MNEME_HOME", flag: "home", usage: "data folder",
		at: func(c *Config) field { return (*text)(&c.Home) },
	}
	return slices.Concat([]spec{home}, placeSpecs(), modelSpecs(), userSpecs(), daemonSpecs(), hookSpecs())
}

// problem says what is wrong with a value and what to write instead, twice
// nothing if it is right.
func (s spec) problem(v string) (reason, hint string) {
	if s.check == nil {
		return "", ""
	}
	return s.check(v)
}

// shown returns the form of a value that may be printed.
func (s spec) shown(v string) string {
	if s.mask == nil {
		return v
	}
	return s.mask(v)
}

// Description tells how a setting can be set, for help and for command lines.
type Description struct {
	Setting string // its key in the file and in [Sources.Flags]
	Env     string // the variable that sets it
	Flag    string // the flag that sets it, without dashes; empty if none can
	Usage   string
}

// Describe lists every setting in the order of [Config.Settings].
func Describe() []Description {
	var out []Description
	for _, s := range specs() {
		out = append(out, Description{Setting: s.name, Env: s.env, Flag: s.flag, Usage: s.usage})
	}
	return out
}
