package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestPager sends long output through the user's own, and loses nothing without one.
func TestPager(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, pager, want string
		terminal, json    bool
	}{
		{"own", "sed s/^/page:/", "page:a line\n", true, false},
		{"cannot be started", "/nobody/knows/this", "a line\n", true, false},
		{"no terminal", "sed s/^/page:/", "a line\n", false, false},
		{"JSON", "sed s/^/page:/", "a line\n", true, true},
		{"ends early", "true", "", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			a := &app{json: c.json, sys: System{
				Stdout: &out, Stderr: &out, StdoutTTY: c.terminal,
				Env: func(name string) string { return map[string]string{"PAGER": c.pager}[name] },
			}}
			said := errors.New("what the command says")
			err := a.paged(t.Context(), func() error {
				if err := a.printf("a line\n"); err != nil {
					return err
				}
				if c.name == "ends early" {
					if err := a.printf("%s", strings.Repeat("more\n", 1<<16)); err != nil {
						return err
					}
				}
				return said
			})
			if !errors.Is(err, said) || out.String() != c.want {
				t.Errorf("%v, %q", err, out.String())
			}
			if a.sys.Stdout != &out {
				t.Error("what follows would go to the pager")
			}
		})
	}
}
