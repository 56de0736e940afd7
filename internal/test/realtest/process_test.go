package realtest

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take before a test gives up. A busy
// machine loads a model in half a minute.
const patience = 2 * time.Minute

// process is a child process of a test, with its own children.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how it ended; read after ended

	mu  sync.Mutex
	log bytes.Buffer
}

// Write keeps what the process prints.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

// said is what the process has printed.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// start starts a child in a process group of its own: an Ollama has children,
// which outlive it when it is killed alone. It ends with the test at the latest.
func start(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p, p
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.err = cmd.Wait(); close(p.ended) }()
	t.Cleanup(p.kill)
	return p
}

// signal sends a signal to the process and its children. A group that is gone
// needs none.
func (p *process) signal(s syscall.Signal) {
	if err := syscall.Kill(-p.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		panic("signal " + p.cmd.Path + ": " + err.Error())
	}
}

// kill ends all of it at once and returns when it is dead.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// tail is the end of what the process has printed.
func (p *process) tail() string {
	said := p.said()
	return said[max(0, len(said)-3000):]
}

// until waits until the process has made ready return "".
func (p *process) until(t testing.TB, ready func() string) {
	t.Helper()
	var last string
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if last = ready(); last == "" {
			return
		}
		select {
		case <-p.ended:
			t.Fatalf("%s ended: %v\n%s", p.cmd.Path, p.err, p.tail())
		case <-t.Context().Done():
			t.FailNow()
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("%s: %s\n%s", p.cmd.Path, last, p.tail())
}

// saying waits until the process has printed something.
func (p *process) saying(t testing.TB, what string) {
	t.Helper()
	p.until(t, func() string {
		if strings.Contains(p.said(), what) {
			return ""
		}
		return "has not said " + what
	})
}

// eventually waits until check returns "".
func eventually(t testing.TB, check func() string) {
	t.Helper()
	var last string
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if last = check(); last == "" {
			return
		}
		select {
		case <-t.Context().Done():
			t.FailNow()
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatal(last)
}
