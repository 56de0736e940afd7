package config

import (
	"fmt"
	"strconv"
)

// Hooks say what mneme-hook may put in front of the model.
type Hooks struct {
	SessionStart Injection
	Prompt       Prompt
	ExtractMax   int // most memories taken from one session; 0 takes none; default 12
}

// Injection bounds what the start of a session recalls.
type Injection struct {
	Limit    int     // memories, 0 to 20; 0 injects none; default 5
	MinScore float64 // 0 to 1, strict; default 0.7
	Tokens   int     // 100 to 2400, estimated as four bytes each; default 1200
}

// Prompt says whether and how much is recalled for each prompt.
type Prompt struct {
	Enabled bool // default false: what is injected is paid for with every later request
	Tokens  int  // 50 to 1200; default 300
}

func hookSpecs() []spec {
	return []spec{
		{
			name: "hooks.session_start.limit", env: "MNEME_HOOKS_SESSION_START_LIMIT", file: true, def: "5",
			usage: "memories injected when a session starts", check: checkWhole(0, 20),
			get: func(c *Config) string { return strconv.Itoa(c.Hooks.SessionStart.Limit) },
			set: func(c *Config, v string) { c.Hooks.SessionStart.Limit, _ = strconv.Atoi(v) }, // checked before
		},
		{
			name: "hooks.session_start.min_score", env: "MNEME_HOOKS_SESSION_START_MIN_SCORE", file: true, bare: true, def: "0.7",
			usage: "similarity above which they are", check: checkShare,
			get: func(c *Config) string { return strconv.FormatFloat(c.Hooks.SessionStart.MinScore, 'g', -1, 64) },
			set: func(c *Config, v string) { c.Hooks.SessionStart.MinScore, _ = strconv.ParseFloat(v, 64) }, // checked before
		},
		{
			name: "hooks.session_start.tokens", env: "MNEME_HOOKS_SESSION_START_TOKENS", file: true, def: "1200",
			usage: "tokens they may take", check: checkWhole(100, 2400),
			get: func(c *Config) string { return strconv.Itoa(c.Hooks.SessionStart.Tokens) },
			set: func(c *Config, v string) { c.Hooks.SessionStart.Tokens, _ = strconv.Atoi(v) }, // checked before
		},
		{
			name: "hooks.prompt.enabled", env: "MNEME_HOOKS_PROMPT_ENABLED", file: true, bare: true, def: "false",
			usage: "recall for every prompt", check: checkBool,
			get: func(c *Config) string { return strconv.FormatBool(c.Hooks.Prompt.Enabled) },
			set: func(c *Config, v string) { c.Hooks.Prompt.Enabled, _ = strconv.ParseBool(v) }, // checked before
		},
		{
			name: "hooks.prompt.tokens", env: "MNEME_HOOKS_PROMPT_TOKENS", file: true, def: "300",
			usage: "tokens that may take", check: checkWhole(50, 1200),
			get: func(c *Config) string { return strconv.Itoa(c.Hooks.Prompt.Tokens) },
			set: func(c *Config, v string) { c.Hooks.Prompt.Tokens, _ = strconv.Atoi(v) }, // checked before
		},
		{
			name: "hooks.extract.max", env: "MNEME_HOOKS_EXTRACT_MAX", file: true, def: "12",
			usage: "memories taken from one session", check: checkWhole(0, 100),
			get: func(c *Config) string { return strconv.Itoa(c.Hooks.ExtractMax) },
			set: func(c *Config, v string) { c.Hooks.ExtractMax, _ = strconv.Atoi(v) }, // checked before
		},
	}
}

func checkWhole(least, most int) func(string) (string, string) {
	return func(v string) (string, string) {
		if n, err := strconv.Atoi(v); err != nil || n < least || n > most {
			return "is out of bounds", fmt.Sprintf("write a whole number from %d to %d", least, most)
		}
		return "", ""
	}
}

func checkShare(v string) (string, string) {
	if f, err := strconv.ParseFloat(v, 64); err != nil || !(f >= 0 && f <= 1) { // NaN is out, too
		return "is out of bounds", "write a number from 0 to 1, such as 0.7"
	}
	return "", ""
}

func checkBool(v string) (string, string) {
	if _, err := strconv.ParseBool(v); err != nil {
		return "is neither true nor false", "write true or false"
	}
	return "", ""
}
