package browser

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mneme-memory/mneme/internal/testkit/program"
)

var pictures = flag.String("pictures", "", "a folder to write the pictures of the documentation to")

// browserEnv makes the absence of a browser a failure.
const browserEnv = "MNEME_TEST_BROWSER"

// patience is how long anything may take before a test gives up, on a busy machine.
const patience = 2 * time.Minute

// mneme is one that runs, in a home of its own.
type mneme struct {
	program, dir string
}

var shared mneme

// chromium is the browser's path, "" if there is none.
var chromium = findBrowser()

func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func TestMain(m *testing.M) {
	flag.Parse()
	switch {
	case chromium == "" && os.Getenv(browserEnv) != "":
		fmt.Fprintln(os.Stderr, "there is no Chromium: install it (Debian: apt-get install chromium; macOS: brew install chromium)")
		os.Exit(1)
	case chromium == "" || testing.Short():
		fmt.Println("the console is not tried in a browser: there is no Chromium, or only short tests are wanted")
		os.Exit(0)
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintf(os.Stderr, "browser: %v\n", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "mneme-browser-")
	if err != nil {
		return 1, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL may be another user's process
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	shared = mneme{program: filepath.Join(dir, "mneme"), dir: dir}
	build := exec.Command("go", "build", "-o", shared.program, "../../../cmd/mneme")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build mneme: %w\n%s", err, out)
	}
	if out, err := shared.run(context.Background(), "up", "--detach"); err != nil {
		return 1, fmt.Errorf("mneme up: %w\n%s", err, out)
	}
	code = m.Run()
	out, err := shared.run(context.Background(), "down")
	if err != nil {
		err = fmt.Errorf("mneme down: %w\n%s", err, out)
	}
	return code, errors.Join(err, program.Left(dir))
}

// run runs a command of mneme.
func (m mneme) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.program, args...)
	cmd.Dir = m.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + m.dir, "TMPDIR=" + m.dir, "USER=tester", "LANG=C.UTF-8", "TZ=UTC", "MNEME_HOME=" + filepath.Join(m.dir, "data"),
		"MNEME_UI_PORT=0", "MNEME_AUTOSTART=false", "MNEME_QDRANT_BINARY=none", "MNEME_EMBED_MODEL=mneme-static",
	}
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(out), err
}

// store stores a text and returns its id.
func (m mneme) store(t *testing.T, project, text string, args ...string) string {
	t.Helper()
	out, err := m.run(t.Context(), append([]string{"store", text, "--project", project, "--json"}, args...)...)
	var stored struct{ ID string }
	if err == nil {
		err = json.Unmarshal([]byte(out), &stored)
	}
	if err != nil {
		t.Fatal(err)
	}
	return stored.ID
}

// link returns a new link into the console.
func (m mneme) link(t *testing.T) string {
	t.Helper()
	out, err := m.run(t.Context(), "open", "--print")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// open starts a browser with a profile of its own and enters the console.
func (m mneme) open(t *testing.T, width, height int64, dark bool) *window {
	t.Helper()
	profile, err := os.MkdirTemp(m.dir, "profile-")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(patience),
	)
	// Also when the test is over: the browser is closed then.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		cancel()
	})
	w := &window{T: t, ctx: ctx}
	w.do("enter the console", w.listen(), chromedp.EmulateViewport(width, height), theme(dark), chromedp.Navigate(m.link(t)),
		chromedp.WaitVisible(chromedp.CSS(`a[aria-current="page"]`)))
	return w
}
