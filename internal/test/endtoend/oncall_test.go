package endtoend

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// consoleBlock is a block of commands that the page shows.
var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// TestOnCall runs the commands of docs/operating.md's first part, block by block in their order, as a
// person would who types them.
func TestOnCall(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "operating.md"))
	check(t, err)
	blocks := consoleBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 9 {
		t.Fatalf("the page has %d blocks of commands", len(blocks))
	}
	w, err := newWorld(filepath.Dir(shared.dir), "oncall", shared.bin)
	check(t, err)
	// The page says ~/.mneme.
	user := filepath.Join(w.dir, "user")
	w.home = filepath.Join(user, ".mneme")
	w.env = append(w.env, "MNEME_HOME="+w.home, "PATH="+w.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Cleanup(func() { check(t, w.stop()); check(t, w.leftBehind()) })
	run := func(script string) string {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-eu", "-c", script)
		cmd.Env, cmd.Dir = w.env, user
		cmd.WaitDelay = 10 * time.Second // what a command left running holds the output open
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v in\n%s\n%s", err, script, out.String())
		}
		return out.String()
	}
	keys := map[string]string{}
	for _, name := range []string{"payload.keys", "home.pem"} {
		keys[name] = ""
	}
	for i, block := range blocks {
		out := run(block[1])
		if i == 0 {
			run(`mneme store "The depot closes at noon on Saturdays."`)
			for name := range keys {
				keys[name] = run("cat .mneme/keys/" + name)
			}
		}
		if strings.Contains(block[1], "mneme metrics") {
			for _, want := range []string{"mneme_up 1\n", "mneme_server_up{server=\"worker\"} 1\n", "mneme_waiting 0\n", "mneme_index_lost 0\n"} {
				if !strings.Contains(out, want) {
					t.Errorf("the figures have no %q:\n%s", want, out)
				}
			}
		}
		if strings.Contains(block[1], "which key was rotated") && !strings.Contains(out, "was rotated") {
			t.Errorf("after the rotation nothing is recalled: %s", out)
		}
	}
	for name, before := range keys {
		if now := run("cat .mneme/keys/" + name); now == before || name == "payload.keys" && !strings.HasSuffix(now, before) {
			t.Errorf("%s was not changed as the page says", name)
		}
	}
	if out := run(`mneme recall "when does the depot close"`); !strings.Contains(out, "noon on Saturdays") {
		t.Errorf("at the end, recalled %s", out)
	}
}
