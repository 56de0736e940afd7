package memory_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestResolveProject(t *testing.T) {
	t.Parallel()
	known := []string{"github.com/acme/shop", "github.com/acme/blog", "github.com/me/blog", "~/notes", "_global", "plain"}
	for name, want := range map[string]string{
		"shop": "github.com/acme/shop", "SHOP": "github.com/acme/shop", "notes": "~/notes", "plain": "plain", "_global": "_global",
		"blog": "blog", "other": "other", "acme/shop": "acme/shop", " shop ": "github.com/acme/shop", "": "",
	} {
		if got := memory.ResolveProject(name, known); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestAFolderSeesThoseAboveIt(t *testing.T) {
	t.Parallel()
	for project, want := range map[string]string{
		"~/notes/go/tips": "~/notes/go/tips ~/notes/go ~/notes ~ _global", "~": "~ _global", "/srv/notes": "/srv/notes /srv _global",
		"github.com/acme/shop": "github.com/acme/shop _global", "_global": "_global", "plain": "plain _global",
	} {
		if got := strings.Join(memory.Query{Project: project}.Projects(), " "); got != want {
			t.Errorf("%s sees %s, want %s", project, got, want)
		}
	}
}
