package config

import (
	"errors"
	"testing"
)

func TestHookSettings(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Sources{Env: env("HOME", "/h")})
	want := Hooks{SessionStart: Injection{Limit: 5, MinScore: 0.7, Tokens: 1200}, Prompt: Prompt{Tokens: 300}, ExtractMax: 12}
	if err != nil || cfg.Hooks != want {
		t.Errorf("the defaults are %+v, %v", cfg.Hooks, err)
	}
	home := writeConfig(t, "[hooks.session_start]\nmin_score = 0.5\nlimit = 0\n[hooks.prompt]\nenabled = true\n")
	cfg, err = Load(Sources{Env: env("MNEME_HOME", home)})
	if err != nil || cfg.Hooks.SessionStart.MinScore != 0.5 || cfg.Hooks.SessionStart.Limit != 0 || !cfg.Hooks.Prompt.Enabled {
		t.Errorf("the file gives %+v, %v", cfg.Hooks, err)
	}
	home = writeConfig(t, "[hooks.session_start]\nmin_score = 7\nlimit = 21\ntokens = 1.5\n[hooks.prompt]\nenabled = \"perhaps\"\n[hooks.extract]\nmax = -1\n")
	var bad Problems
	if _, err := Load(Sources{Env: env("MNEME_HOME", home)}); !errors.As(err, &bad) || len(bad) != 5 {
		t.Errorf("got %v", err)
	}
}
