package endtoend

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// impostor listens where somebody else did, and keeps all that it is sent.
type impostor struct {
	mu    sync.Mutex
	calls int
	heard bytes.Buffer
}

// impersonate takes an address whose owner is gone.
func impersonate(t *testing.T, address string) *impostor {
	t.Helper()
	var l net.Listener
	wait.Until(t, "the port is free", func() (ok bool) {
		var err error
		l, err = net.Listen("tcp", address)
		return err == nil
	})
	i := &impostor{}
	var serving sync.WaitGroup
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() { cancel(); l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			i.mu.Lock()
			i.calls++
			i.mu.Unlock()
			serving.Go(func() { i.listen(ctx, conn) })
		}
	})
	return i
}

// listen keeps what comes over a connection until it or the test ends.
func (i *impostor) listen(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	part := make([]byte, 4096)
	for {
		n, err := conn.Read(part)
		i.mu.Lock()
		i.heard.Write(part[:n])
		i.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// got returns the number of calls and their content.
func (i *impostor) got() (calls int, heard string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.calls, i.heard.String()
}

// TestNobodyTakesOver kills a daemon, which leaves its state file, and takes its ports. Doors
// that start then call nobody; a connected door sends no text to the impostor.
func TestNobodyTakesOver(t *testing.T) {
	t.Parallel()
	w := live(t, "killed")
	connected := w.stdio(t)
	if _, text := connected.try(t, "memory_store", map[string]any{"text": "The lighthouse is painted every May.", "project": "commons"}); text != "" {
		t.Fatal(text)
	}
	d, err := homestate.Read(w.home)
	check(t, err)
	check(t, syscall.Kill(d.PID, syscall.SIGKILL))
	wait.Until(t, "the daemon is gone", func() bool {
		holder, err := homestate.Holder(w.home)
		return err == nil && holder == 0
	})
	if _, err := homestate.Read(w.home); err != nil {
		t.Fatalf("the state file did not stay: %v", err)
	}
	impostors := map[string]*impostor{"UI": impersonate(t, hostOf(t, d.UI))}
	for _, name := range []string{homestate.TemporalService, homestate.QdrantService, homestate.OllamaService} {
		impostors[name] = impersonate(t, hostOf(t, d.Services[name].Address))
	}
	const secret = "The zephyr warehouse opens with seven keys."
	if a := w.cli(t, "", "store", secret, "--project", "commons"); a.code != 0 || !strings.Contains(a.stdout+a.stderr, "kept on disk") {
		t.Errorf("a store while mneme is down: exit %d, %s%s", a.code, a.stdout, a.stderr)
	}
	for _, args := range [][]string{
		{"recall", secret, "--project", "commons"},
		{"status"},
		{"doctor"},
		{"ui"},
	} {
		if a := w.cli(t, "", args...); a.code == 0 {
			t.Errorf("mneme %q worked: %s", args, a.stdout)
		}
	}
	hook := w.command(t.Context(), "mneme-hook", "session-start")
	hook.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"SessionStart","source":"startup","cwd":"` + hook.Dir + `"}`)
	if out, err := hook.CombinedOutput(); err != nil {
		t.Errorf("the hook: %v\n%s", err, out)
	}
	for name, i := range impostors {
		if calls, _ := i.got(); calls > 0 && name != homestate.TemporalService {
			t.Errorf("%s was called %d times", name, calls)
		}
	}
	stranded(t, connected, secret)
	if _, heard := impostors[homestate.TemporalService].got(); strings.Contains(heard, "zephyr") || strings.Contains(heard, "PRI * HTTP") {
		t.Errorf("the impostor of Temporal heard %.200q", heard)
	}
}

// stranded has a door that was connected to the killed daemon store something, and gives it
// some time to reach for the one that it knew. The text may be kept on disk, for the next mneme of
// this home.
func stranded(t *testing.T, d door, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = "memory_store", map[string]any{"text": text, "project": "commons"}
	if res, err := d.CallTool(ctx, req); err == nil && !res.IsError && !strings.Contains(fmt.Sprint(res.Content), "kept on disk") {
		t.Errorf("something was stored with nobody: %v", res.Content)
	}
}

// hostOf is the host:port of an address or a URL.
func hostOf(t *testing.T, address string) string {
	t.Helper()
	if !strings.Contains(address, "://") {
		return address
	}
	u, err := url.Parse(address)
	check(t, err)
	return u.Host
}
