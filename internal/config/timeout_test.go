package config

import (
	"strings"
	"testing"
	"time"
)

// TestTimeouts reads the time-outs from the environment and the file, and refuses what is none.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	home := writeConfig(t, "[ollama]\ntimeout = \"90s\"\n")
	cfg, err := Load(Sources{Env: env("MNEME_HOME", home, "MNEME_QDRANT_TIMEOUT", "2.5s")})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Temporal.Timeout != 3*time.Second || cfg.Qdrant.Timeout != 2500*time.Millisecond || cfg.Ollama.Timeout != 90*time.Second {
		t.Errorf("%s, %s, %s", cfg.Temporal.Timeout, cfg.Qdrant.Timeout, cfg.Ollama.Timeout)
	}
	for _, bad := range []string{"0s", "-1s", "5", "soon", "10m", "NaN"} {
		_, err := Load(Sources{Env: env("HOME", "/h", "MNEME_TEMPORAL_TIMEOUT", bad)})
		if err == nil || !strings.Contains(err.Error(), "MNEME_TEMPORAL_TIMEOUT") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
